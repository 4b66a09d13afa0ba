# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_aigwctl_global_optspecs
    string join \n q/quiet v/verbose color= h/help V/version
end

function __fish_aigwctl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_aigwctl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_aigwctl_using_subcommand
    set -l cmd (__fish_aigwctl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c aigwctl -n "__fish_aigwctl_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_needs_command" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -s V -l version -d 'Print version'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "render" -d 'Print the filter config that the controller would write for each Gateway'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "diff" -d 'Compare what the controller would do before and after a change'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "why" -d 'Print which line of a manifest put a value into the answer, and what it overrode'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "cel" -d 'Say whether an expression is accepted, of what type its parts are, and what value it has'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "collect" -d 'Write what the answers need from a cluster to a directory, credentials replaced by placeholders'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "doctor" -d 'Say why a sidecar is missing or a config is old, with evidence and remedy'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "rbac" -d 'Print the smallest roles with which the live commands can answer'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "completions" -d 'Print the completion script of a shell'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "man" -d 'Print the manual page of the program, or of one of its commands'
complete -c aigwctl -n "__fish_aigwctl_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l gateway -d 'Answer only for this Gateway; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s o -l output -d 'Format and, optionally, file of the result; may be repeated: table, config, secret, json' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l fail-on -d 'Exit with 1 for findings of this level or above' -r -f -a "error\t'Errors only'
warning\t'Errors and warnings'
info\t'Every finding'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s n -l namespace -d 'Namespace of objects in files that have none; with --live, of the Gateways to answer for' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l context -d 'Context of the kubeconfig [default: the current one]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l kubeconfig -d 'File to read instead of KUBECONFIG or ~/.kube/config' -r -F
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l cluster -d 'Cluster of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l user -d 'User of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l as -d 'User to impersonate' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l request-timeout -d 'How long to wait for one answer, such as 30s or 2m; 0 for ever' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l missing-secrets -d 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]' -r -f -a "placeholder\t'Assume it and write a placeholder that names it'
skip\t'Leave the backend out'
fail\t'Report an error'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l assume-namespace -d 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway\'s]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l max-object-bytes -d 'Most bytes of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l max-nesting -d 'Deepest nesting of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l max-alias-expansion -d 'How many times its own size a document may grow through aliases' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l controller-version -d 'Version of the controller [default: the tag of the controller\'s image in the input, else the newest one known]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l envoy-gateway-namespace -d 'Namespace of Envoy Gateway [default: envoy-gateway-system]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l kubernetes-version -d 'Version of the API server, such as 1.33' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l controller-flag -d 'A flag of the controller, by its own name; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l values -d 'Helm values of the controller\'s chart; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l uuid -d 'UUID of the documents' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l sidecar -d 'Show everything that the webhook adds to a pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l show-secrets -d 'Show credentials and mutation values'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l show-mutations -d 'Show the values that header and body mutations set'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l live -d 'Read the cluster, with the sources applied to it if there are any'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s A -l all-namespaces -d 'Answer for the Gateways of all namespaces, which is the default'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l in-cluster -d 'Use the service account of the pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l no-exec -d 'Do not run the kubeconfig\'s credential plugin'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l no-secrets -d 'Read no Secret: credentials are assumed and shown as placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l complete -d 'The input is everything that the cluster holds: what is absent is absent'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -l standalone -d 'The controller runs without workloads'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l base -d 'Old: the same paths at this Git revision' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l from-version -d 'Old: this version of the controller' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l to-version -d 'New: this version of the controller' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l to-values -d 'New: the controller with these Helm values; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l to-controller -d 'New: the controller whose Deployment stands in this file' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l against-secret -d 'Old: what the filter config Secrets in this file hold [default: those in SOURCE]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l gateway -d 'Compare only this Gateway; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l ignore -d 'Leave out changes at this path of the document and below; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s U -l context-lines -d 'Lines of context of -o unified' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s o -l output -d 'Format and, optionally, file of the result; may be repeated: tree, unified, markdown, github, json' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l fail-on -d 'Exit with 1 for new findings of this level or above' -r -f -a "error\t'Errors only'
warning\t'Errors and warnings'
info\t'Every finding'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s n -l namespace -d 'Namespace of objects in files that have none; with --live, of the Gateways to answer for' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l context -d 'Context of the kubeconfig [default: the current one]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l kubeconfig -d 'File to read instead of KUBECONFIG or ~/.kube/config' -r -F
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l cluster -d 'Cluster of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l user -d 'User of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l as -d 'User to impersonate' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l request-timeout -d 'How long to wait for one answer, such as 30s or 2m; 0 for ever' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l missing-secrets -d 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]' -r -f -a "placeholder\t'Assume it and write a placeholder that names it'
skip\t'Leave the backend out'
fail\t'Report an error'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l assume-namespace -d 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway\'s]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l max-object-bytes -d 'Most bytes of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l max-nesting -d 'Deepest nesting of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l max-alias-expansion -d 'How many times its own size a document may grow through aliases' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l controller-version -d 'Version of the controller [default: the tag of the controller\'s image in the input, else the newest one known]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l envoy-gateway-namespace -d 'Namespace of Envoy Gateway [default: envoy-gateway-system]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l kubernetes-version -d 'Version of the API server, such as 1.33' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l controller-flag -d 'A flag of the controller, by its own name; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l values -d 'Helm values of the controller\'s chart; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l uuid -d 'UUID of the documents' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l raw -d 'UUID, version and the order that the controller leaves to chance count too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l strict -d 'Exit with 3 when nothing differs and some values could not be compared'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l show-mutations -d 'Show the values that header and body mutations set'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l live -d 'Read the cluster, with the sources applied to it if there are any'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s A -l all-namespaces -d 'Answer for the Gateways of all namespaces, which is the default'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l in-cluster -d 'Use the service account of the pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l no-exec -d 'Do not run the kubeconfig\'s credential plugin'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l no-secrets -d 'Read no Secret: credentials are assumed and shown as placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l complete -d 'The input is everything that the cluster holds: what is absent is absent'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -l standalone -d 'The controller runs without workloads'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l impact -d 'What of the answer hangs on this object, and what it would be without it' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l gateway -d 'Explain only this Gateway\'s answer; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s o -l output -d 'Format and, optionally, file of the result; may be repeated: text, json' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s n -l namespace -d 'Namespace of objects in files that have none; with --live, of the Gateways to answer for' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l context -d 'Context of the kubeconfig [default: the current one]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l kubeconfig -d 'File to read instead of KUBECONFIG or ~/.kube/config' -r -F
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l cluster -d 'Cluster of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l user -d 'User of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l as -d 'User to impersonate' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l request-timeout -d 'How long to wait for one answer, such as 30s or 2m; 0 for ever' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l missing-secrets -d 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]' -r -f -a "placeholder\t'Assume it and write a placeholder that names it'
skip\t'Leave the backend out'
fail\t'Report an error'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l assume-namespace -d 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway\'s]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l max-object-bytes -d 'Most bytes of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l max-nesting -d 'Deepest nesting of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l max-alias-expansion -d 'How many times its own size a document may grow through aliases' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l controller-version -d 'Version of the controller [default: the tag of the controller\'s image in the input, else the newest one known]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l envoy-gateway-namespace -d 'Namespace of Envoy Gateway [default: envoy-gateway-system]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l kubernetes-version -d 'Version of the API server, such as 1.33' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l controller-flag -d 'A flag of the controller, by its own name; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l values -d 'Helm values of the controller\'s chart; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l uuid -d 'UUID of the documents' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l show-mutations -d 'Show the values that header and body mutations set'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l live -d 'Read the cluster, with the sources applied to it if there are any'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s A -l all-namespaces -d 'Answer for the Gateways of all namespaces, which is the default'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l in-cluster -d 'Use the service account of the pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l no-exec -d 'Do not run the kubeconfig\'s credential plugin'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l no-secrets -d 'Read no Secret: credentials are assumed and shown as placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l complete -d 'The input is everything that the cluster holds: what is absent is absent'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -l standalone -d 'The controller runs without workloads'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -s f -l file -d 'Read the expression from a file, or from standard input with -' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -l env -d 'Where the expression stands' -r -f -a "cost\t'A cost of a route, a GatewayConfig or a QuotaPolicy'
mcp\t'An authorization rule of an MCPRoute'
mcp-selector\t'A rule of an MCPRoute\'s backendSelector'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -l set -d 'A value for a cost: model, backend, route_name or a token count; may be repeated [default: the values of the controller\'s trial]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -l request -d 'A request for an MCP expression, as JSON' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -s o -l output -d 'Format of the answer' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand cel" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l gateway -d 'Read the Secrets of this Gateway alone; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -s n -l namespace -d 'Namespace of objects in files that have none; with --live, of the Gateways to answer for' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l context -d 'Context of the kubeconfig [default: the current one]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l kubeconfig -d 'File to read instead of KUBECONFIG or ~/.kube/config' -r -F
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l cluster -d 'Cluster of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l user -d 'User of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l as -d 'User to impersonate' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l request-timeout -d 'How long to wait for one answer, such as 30s or 2m; 0 for ever' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l missing-secrets -d 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]' -r -f -a "placeholder\t'Assume it and write a placeholder that names it'
skip\t'Leave the backend out'
fail\t'Report an error'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l assume-namespace -d 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway\'s]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l max-object-bytes -d 'Most bytes of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l max-nesting -d 'Deepest nesting of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l max-alias-expansion -d 'How many times its own size a document may grow through aliases' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l controller-version -d 'Version of the controller [default: the tag of the controller\'s image in the input, else the newest one known]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l envoy-gateway-namespace -d 'Namespace of Envoy Gateway [default: envoy-gateway-system]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l kubernetes-version -d 'Version of the API server, such as 1.33' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l controller-flag -d 'A flag of the controller, by its own name; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l values -d 'Helm values of the controller\'s chart; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l uuid -d 'UUID of the documents' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l live -d 'Read the cluster, with the sources applied to it if there are any'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -s A -l all-namespaces -d 'Answer for the Gateways of all namespaces, which is the default'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l in-cluster -d 'Use the service account of the pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l no-exec -d 'Do not run the kubeconfig\'s credential plugin'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l no-secrets -d 'Read no Secret: credentials are assumed and shown as placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l complete -d 'The input is everything that the cluster holds: what is absent is absent'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -l standalone -d 'The controller runs without workloads'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand collect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l gateway -d 'Look only at this Gateway; may be repeated [default: every one that AI routes attach to]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s o -l output -d 'Format and, optionally, file of the result; may be repeated: table, short, json, markdown' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l fail-on -d 'Exit with 1 for diagnoses of this level or above' -r -f -a "failure\t'Failures only'
warning\t'Failures and warnings'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l skip -d 'Leave out a probe; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l config-dump -d 'What an Envoy of the Gateway answers to GET /config_dump' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s n -l namespace -d 'Namespace of objects in files that have none; with --live, of the Gateways to answer for' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l context -d 'Context of the kubeconfig [default: the current one]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l kubeconfig -d 'File to read instead of KUBECONFIG or ~/.kube/config' -r -F
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l cluster -d 'Cluster of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l user -d 'User of the kubeconfig, in place of the context\'s' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l as -d 'User to impersonate' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l request-timeout -d 'How long to wait for one answer, such as 30s or 2m; 0 for ever' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l missing-secrets -d 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]' -r -f -a "placeholder\t'Assume it and write a placeholder that names it'
skip\t'Leave the backend out'
fail\t'Report an error'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l assume-namespace -d 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway\'s]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l max-object-bytes -d 'Most bytes of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l max-nesting -d 'Deepest nesting of one object' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l max-alias-expansion -d 'How many times its own size a document may grow through aliases' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l controller-version -d 'Version of the controller [default: the tag of the controller\'s image in the input, else the newest one known]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l envoy-gateway-namespace -d 'Namespace of Envoy Gateway [default: envoy-gateway-system]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l kubernetes-version -d 'Version of the API server, such as 1.33' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l controller-flag -d 'A flag of the controller, by its own name; may be repeated' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l values -d 'Helm values of the controller\'s chart; may be repeated, the later file wins' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l uuid -d 'UUID of the documents' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l live -d 'Read the cluster, with the sources applied to it if there are any'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s A -l all-namespaces -d 'Answer for the Gateways of all namespaces, which is the default'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l in-cluster -d 'Use the service account of the pod'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l no-exec -d 'Do not run the kubeconfig\'s credential plugin'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l no-secrets -d 'Read no Secret: credentials are assumed and shown as placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l complete -d 'The input is everything that the cluster holds: what is absent is absent'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -l standalone -d 'The controller runs without workloads'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -l for -d 'Only for this command; may be repeated [default: all that read a cluster]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -l secrets-in -d 'Allow reading Secrets in this namespace alone; may be repeated [default: in all]' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -l name -d 'Name of the roles' -r
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -l no-secrets -d 'Without the right to read Secrets, as for --no-secrets'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand rbac" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand completions" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand completions" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand completions" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand man" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c aigwctl -n "__fish_aigwctl_using_subcommand man" -s q -l quiet -d 'Print nothing but the result'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand man" -s v -l verbose -d 'Print remarks of level info too'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "render" -d 'Print the filter config that the controller would write for each Gateway'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "diff" -d 'Compare what the controller would do before and after a change'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "why" -d 'Print which line of a manifest put a value into the answer, and what it overrode'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "cel" -d 'Say whether an expression is accepted, of what type its parts are, and what value it has'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "collect" -d 'Write what the answers need from a cluster to a directory, credentials replaced by placeholders'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "doctor" -d 'Say why a sidecar is missing or a config is old, with evidence and remedy'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "rbac" -d 'Print the smallest roles with which the live commands can answer'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "completions" -d 'Print the completion script of a shell'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "man" -d 'Print the manual page of the program, or of one of its commands'
complete -c aigwctl -n "__fish_aigwctl_using_subcommand help; and not __fish_seen_subcommand_from render diff why cel collect doctor rbac completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
