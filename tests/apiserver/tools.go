//go:build tools

// Package apiserver keeps kube-apiserver among the requirements of this module.
package apiserver

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
