
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'aigwctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'aigwctl'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'aigwctl' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the filter config that the controller would write for each Gateway')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare what the controller would do before and after a change')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Print which line of a manifest put a value into the answer, and what it overrode')
            [CompletionResult]::new('cel', 'cel', [CompletionResultType]::ParameterValue, 'Say whether an expression is accepted, of what type its parts are, and what value it has')
            [CompletionResult]::new('collect', 'collect', [CompletionResultType]::ParameterValue, 'Write what the answers need from a cluster to a directory, credentials replaced by placeholders')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Say why a sidecar is missing or a config is old, with evidence and remedy')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the smallest roles with which the live commands can answer')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of the program, or of one of its commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aigwctl;render' {
            [CompletionResult]::new('--gateway', '--gateway', [CompletionResultType]::ParameterName, 'Answer only for this Gateway; may be repeated')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: table, config, secret, json')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: table, config, secret, json')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 for findings of this level or above')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig [default: the current one]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'File to read instead of KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long to wait for one answer, such as 30s or 2m; 0 for ever')
            [CompletionResult]::new('--missing-secrets', '--missing-secrets', [CompletionResultType]::ParameterName, 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]')
            [CompletionResult]::new('--assume-namespace', '--assume-namespace', [CompletionResultType]::ParameterName, 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway''s]')
            [CompletionResult]::new('--max-object-bytes', '--max-object-bytes', [CompletionResultType]::ParameterName, 'Most bytes of one object')
            [CompletionResult]::new('--max-nesting', '--max-nesting', [CompletionResultType]::ParameterName, 'Deepest nesting of one object')
            [CompletionResult]::new('--max-alias-expansion', '--max-alias-expansion', [CompletionResultType]::ParameterName, 'How many times its own size a document may grow through aliases')
            [CompletionResult]::new('--controller-version', '--controller-version', [CompletionResultType]::ParameterName, 'Version of the controller [default: the tag of the controller''s image in the input, else the newest one known]')
            [CompletionResult]::new('--envoy-gateway-namespace', '--envoy-gateway-namespace', [CompletionResultType]::ParameterName, 'Namespace of Envoy Gateway [default: envoy-gateway-system]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Version of the API server, such as 1.33')
            [CompletionResult]::new('--controller-flag', '--controller-flag', [CompletionResultType]::ParameterName, 'A flag of the controller, by its own name; may be repeated')
            [CompletionResult]::new('--values', '--values', [CompletionResultType]::ParameterName, 'Helm values of the controller''s chart; may be repeated, the later file wins')
            [CompletionResult]::new('--uuid', '--uuid', [CompletionResultType]::ParameterName, 'UUID of the documents')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--sidecar', '--sidecar', [CompletionResultType]::ParameterName, 'Show everything that the webhook adds to a pod')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Show credentials and mutation values')
            [CompletionResult]::new('--show-mutations', '--show-mutations', [CompletionResultType]::ParameterName, 'Show the values that header and body mutations set')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the cluster, with the sources applied to it if there are any')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--in-cluster', '--in-cluster', [CompletionResultType]::ParameterName, 'Use the service account of the pod')
            [CompletionResult]::new('--no-exec', '--no-exec', [CompletionResultType]::ParameterName, 'Do not run the kubeconfig''s credential plugin')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Read no Secret: credentials are assumed and shown as placeholders')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'The input is everything that the cluster holds: what is absent is absent')
            [CompletionResult]::new('--standalone', '--standalone', [CompletionResultType]::ParameterName, 'The controller runs without workloads')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;diff' {
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Old: the same paths at this Git revision')
            [CompletionResult]::new('--from-version', '--from-version', [CompletionResultType]::ParameterName, 'Old: this version of the controller')
            [CompletionResult]::new('--to-version', '--to-version', [CompletionResultType]::ParameterName, 'New: this version of the controller')
            [CompletionResult]::new('--to-values', '--to-values', [CompletionResultType]::ParameterName, 'New: the controller with these Helm values; may be repeated, the later file wins')
            [CompletionResult]::new('--to-controller', '--to-controller', [CompletionResultType]::ParameterName, 'New: the controller whose Deployment stands in this file')
            [CompletionResult]::new('--against-secret', '--against-secret', [CompletionResultType]::ParameterName, 'Old: what the filter config Secrets in this file hold [default: those in SOURCE]')
            [CompletionResult]::new('--gateway', '--gateway', [CompletionResultType]::ParameterName, 'Compare only this Gateway; may be repeated')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out changes at this path of the document and below; may be repeated')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Lines of context of -o unified')
            [CompletionResult]::new('--context-lines', '--context-lines', [CompletionResultType]::ParameterName, 'Lines of context of -o unified')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: tree, unified, markdown, github, json')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: tree, unified, markdown, github, json')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 for new findings of this level or above')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig [default: the current one]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'File to read instead of KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long to wait for one answer, such as 30s or 2m; 0 for ever')
            [CompletionResult]::new('--missing-secrets', '--missing-secrets', [CompletionResultType]::ParameterName, 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]')
            [CompletionResult]::new('--assume-namespace', '--assume-namespace', [CompletionResultType]::ParameterName, 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway''s]')
            [CompletionResult]::new('--max-object-bytes', '--max-object-bytes', [CompletionResultType]::ParameterName, 'Most bytes of one object')
            [CompletionResult]::new('--max-nesting', '--max-nesting', [CompletionResultType]::ParameterName, 'Deepest nesting of one object')
            [CompletionResult]::new('--max-alias-expansion', '--max-alias-expansion', [CompletionResultType]::ParameterName, 'How many times its own size a document may grow through aliases')
            [CompletionResult]::new('--controller-version', '--controller-version', [CompletionResultType]::ParameterName, 'Version of the controller [default: the tag of the controller''s image in the input, else the newest one known]')
            [CompletionResult]::new('--envoy-gateway-namespace', '--envoy-gateway-namespace', [CompletionResultType]::ParameterName, 'Namespace of Envoy Gateway [default: envoy-gateway-system]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Version of the API server, such as 1.33')
            [CompletionResult]::new('--controller-flag', '--controller-flag', [CompletionResultType]::ParameterName, 'A flag of the controller, by its own name; may be repeated')
            [CompletionResult]::new('--values', '--values', [CompletionResultType]::ParameterName, 'Helm values of the controller''s chart; may be repeated, the later file wins')
            [CompletionResult]::new('--uuid', '--uuid', [CompletionResultType]::ParameterName, 'UUID of the documents')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'UUID, version and the order that the controller leaves to chance count too')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 3 when nothing differs and some values could not be compared')
            [CompletionResult]::new('--show-mutations', '--show-mutations', [CompletionResultType]::ParameterName, 'Show the values that header and body mutations set')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the cluster, with the sources applied to it if there are any')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--in-cluster', '--in-cluster', [CompletionResultType]::ParameterName, 'Use the service account of the pod')
            [CompletionResult]::new('--no-exec', '--no-exec', [CompletionResultType]::ParameterName, 'Do not run the kubeconfig''s credential plugin')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Read no Secret: credentials are assumed and shown as placeholders')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'The input is everything that the cluster holds: what is absent is absent')
            [CompletionResult]::new('--standalone', '--standalone', [CompletionResultType]::ParameterName, 'The controller runs without workloads')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;why' {
            [CompletionResult]::new('--impact', '--impact', [CompletionResultType]::ParameterName, 'What of the answer hangs on this object, and what it would be without it')
            [CompletionResult]::new('--gateway', '--gateway', [CompletionResultType]::ParameterName, 'Explain only this Gateway''s answer; may be repeated')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: text, json')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: text, json')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig [default: the current one]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'File to read instead of KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long to wait for one answer, such as 30s or 2m; 0 for ever')
            [CompletionResult]::new('--missing-secrets', '--missing-secrets', [CompletionResultType]::ParameterName, 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]')
            [CompletionResult]::new('--assume-namespace', '--assume-namespace', [CompletionResultType]::ParameterName, 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway''s]')
            [CompletionResult]::new('--max-object-bytes', '--max-object-bytes', [CompletionResultType]::ParameterName, 'Most bytes of one object')
            [CompletionResult]::new('--max-nesting', '--max-nesting', [CompletionResultType]::ParameterName, 'Deepest nesting of one object')
            [CompletionResult]::new('--max-alias-expansion', '--max-alias-expansion', [CompletionResultType]::ParameterName, 'How many times its own size a document may grow through aliases')
            [CompletionResult]::new('--controller-version', '--controller-version', [CompletionResultType]::ParameterName, 'Version of the controller [default: the tag of the controller''s image in the input, else the newest one known]')
            [CompletionResult]::new('--envoy-gateway-namespace', '--envoy-gateway-namespace', [CompletionResultType]::ParameterName, 'Namespace of Envoy Gateway [default: envoy-gateway-system]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Version of the API server, such as 1.33')
            [CompletionResult]::new('--controller-flag', '--controller-flag', [CompletionResultType]::ParameterName, 'A flag of the controller, by its own name; may be repeated')
            [CompletionResult]::new('--values', '--values', [CompletionResultType]::ParameterName, 'Helm values of the controller''s chart; may be repeated, the later file wins')
            [CompletionResult]::new('--uuid', '--uuid', [CompletionResultType]::ParameterName, 'UUID of the documents')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--show-mutations', '--show-mutations', [CompletionResultType]::ParameterName, 'Show the values that header and body mutations set')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the cluster, with the sources applied to it if there are any')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--in-cluster', '--in-cluster', [CompletionResultType]::ParameterName, 'Use the service account of the pod')
            [CompletionResult]::new('--no-exec', '--no-exec', [CompletionResultType]::ParameterName, 'Do not run the kubeconfig''s credential plugin')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Read no Secret: credentials are assumed and shown as placeholders')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'The input is everything that the cluster holds: what is absent is absent')
            [CompletionResult]::new('--standalone', '--standalone', [CompletionResultType]::ParameterName, 'The controller runs without workloads')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;cel' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the expression from a file, or from standard input with -')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Read the expression from a file, or from standard input with -')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Where the expression stands')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A value for a cost: model, backend, route_name or a token count; may be repeated [default: the values of the controller''s trial]')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'A request for an MCP expression, as JSON')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format of the answer')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format of the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;collect' {
            [CompletionResult]::new('--gateway', '--gateway', [CompletionResultType]::ParameterName, 'Read the Secrets of this Gateway alone; may be repeated')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig [default: the current one]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'File to read instead of KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long to wait for one answer, such as 30s or 2m; 0 for ever')
            [CompletionResult]::new('--missing-secrets', '--missing-secrets', [CompletionResultType]::ParameterName, 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]')
            [CompletionResult]::new('--assume-namespace', '--assume-namespace', [CompletionResultType]::ParameterName, 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway''s]')
            [CompletionResult]::new('--max-object-bytes', '--max-object-bytes', [CompletionResultType]::ParameterName, 'Most bytes of one object')
            [CompletionResult]::new('--max-nesting', '--max-nesting', [CompletionResultType]::ParameterName, 'Deepest nesting of one object')
            [CompletionResult]::new('--max-alias-expansion', '--max-alias-expansion', [CompletionResultType]::ParameterName, 'How many times its own size a document may grow through aliases')
            [CompletionResult]::new('--controller-version', '--controller-version', [CompletionResultType]::ParameterName, 'Version of the controller [default: the tag of the controller''s image in the input, else the newest one known]')
            [CompletionResult]::new('--envoy-gateway-namespace', '--envoy-gateway-namespace', [CompletionResultType]::ParameterName, 'Namespace of Envoy Gateway [default: envoy-gateway-system]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Version of the API server, such as 1.33')
            [CompletionResult]::new('--controller-flag', '--controller-flag', [CompletionResultType]::ParameterName, 'A flag of the controller, by its own name; may be repeated')
            [CompletionResult]::new('--values', '--values', [CompletionResultType]::ParameterName, 'Helm values of the controller''s chart; may be repeated, the later file wins')
            [CompletionResult]::new('--uuid', '--uuid', [CompletionResultType]::ParameterName, 'UUID of the documents')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the cluster, with the sources applied to it if there are any')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--in-cluster', '--in-cluster', [CompletionResultType]::ParameterName, 'Use the service account of the pod')
            [CompletionResult]::new('--no-exec', '--no-exec', [CompletionResultType]::ParameterName, 'Do not run the kubeconfig''s credential plugin')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Read no Secret: credentials are assumed and shown as placeholders')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'The input is everything that the cluster holds: what is absent is absent')
            [CompletionResult]::new('--standalone', '--standalone', [CompletionResultType]::ParameterName, 'The controller runs without workloads')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;doctor' {
            [CompletionResult]::new('--gateway', '--gateway', [CompletionResultType]::ParameterName, 'Look only at this Gateway; may be repeated [default: every one that AI routes attach to]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: table, short, json, markdown')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format and, optionally, file of the result; may be repeated: table, short, json, markdown')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 for diagnoses of this level or above')
            [CompletionResult]::new('--skip', '--skip', [CompletionResultType]::ParameterName, 'Leave out a probe; may be repeated')
            [CompletionResult]::new('--config-dump', '--config-dump', [CompletionResultType]::ParameterName, 'What an Envoy of the Gateway answers to GET /config_dump')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace of objects in files that have none; with --live, of the Gateways to answer for')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig [default: the current one]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'File to read instead of KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig, in place of the context''s')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long to wait for one answer, such as 30s or 2m; 0 for ever')
            [CompletionResult]::new('--missing-secrets', '--missing-secrets', [CompletionResultType]::ParameterName, 'What to do with a credential whose Secret is not in the input [default: placeholder, with --complete: skip]')
            [CompletionResult]::new('--assume-namespace', '--assume-namespace', [CompletionResultType]::ParameterName, 'Namespace in which the workload of a Gateway is assumed when the input has none [default: Envoy Gateway''s]')
            [CompletionResult]::new('--max-object-bytes', '--max-object-bytes', [CompletionResultType]::ParameterName, 'Most bytes of one object')
            [CompletionResult]::new('--max-nesting', '--max-nesting', [CompletionResultType]::ParameterName, 'Deepest nesting of one object')
            [CompletionResult]::new('--max-alias-expansion', '--max-alias-expansion', [CompletionResultType]::ParameterName, 'How many times its own size a document may grow through aliases')
            [CompletionResult]::new('--controller-version', '--controller-version', [CompletionResultType]::ParameterName, 'Version of the controller [default: the tag of the controller''s image in the input, else the newest one known]')
            [CompletionResult]::new('--envoy-gateway-namespace', '--envoy-gateway-namespace', [CompletionResultType]::ParameterName, 'Namespace of Envoy Gateway [default: envoy-gateway-system]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Version of the API server, such as 1.33')
            [CompletionResult]::new('--controller-flag', '--controller-flag', [CompletionResultType]::ParameterName, 'A flag of the controller, by its own name; may be repeated')
            [CompletionResult]::new('--values', '--values', [CompletionResultType]::ParameterName, 'Helm values of the controller''s chart; may be repeated, the later file wins')
            [CompletionResult]::new('--uuid', '--uuid', [CompletionResultType]::ParameterName, 'UUID of the documents')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the cluster, with the sources applied to it if there are any')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Answer for the Gateways of all namespaces, which is the default')
            [CompletionResult]::new('--in-cluster', '--in-cluster', [CompletionResultType]::ParameterName, 'Use the service account of the pod')
            [CompletionResult]::new('--no-exec', '--no-exec', [CompletionResultType]::ParameterName, 'Do not run the kubeconfig''s credential plugin')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Read no Secret: credentials are assumed and shown as placeholders')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'The input is everything that the cluster holds: what is absent is absent')
            [CompletionResult]::new('--standalone', '--standalone', [CompletionResultType]::ParameterName, 'The controller runs without workloads')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;rbac' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Only for this command; may be repeated [default: all that read a cluster]')
            [CompletionResult]::new('--secrets-in', '--secrets-in', [CompletionResultType]::ParameterName, 'Allow reading Secrets in this namespace alone; may be repeated [default: in all]')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the roles')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--no-secrets', '--no-secrets', [CompletionResultType]::ParameterName, 'Without the right to read Secrets, as for --no-secrets')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print remarks of level info too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aigwctl;help' {
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the filter config that the controller would write for each Gateway')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare what the controller would do before and after a change')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Print which line of a manifest put a value into the answer, and what it overrode')
            [CompletionResult]::new('cel', 'cel', [CompletionResultType]::ParameterValue, 'Say whether an expression is accepted, of what type its parts are, and what value it has')
            [CompletionResult]::new('collect', 'collect', [CompletionResultType]::ParameterValue, 'Write what the answers need from a cluster to a directory, credentials replaced by placeholders')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Say why a sidecar is missing or a config is old, with evidence and remedy')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the smallest roles with which the live commands can answer')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of the program, or of one of its commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aigwctl;help;render' {
            break
        }
        'aigwctl;help;diff' {
            break
        }
        'aigwctl;help;why' {
            break
        }
        'aigwctl;help;cel' {
            break
        }
        'aigwctl;help;collect' {
            break
        }
        'aigwctl;help;doctor' {
            break
        }
        'aigwctl;help;rbac' {
            break
        }
        'aigwctl;help;completions' {
            break
        }
        'aigwctl;help;man' {
            break
        }
        'aigwctl;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
