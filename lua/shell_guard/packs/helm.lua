-- Helm. Source: helm.sh/docs/helm, helmfile.readthedocs.io.

return [[
releases of Helm: helm, helmfile
values * = -n --namespace --kube-context --kubeconfig -f --file -e --environment -l --selector
uninstall! | helm uninstall|delete|un|del ; helm3 uninstall|delete|un|del | removes what others may use | --dry-run
  shows what would go; let the user do it
rollback | helm|helm3 rollback | puts an earlier version into use | helm history shows the versions; --dry-run shows
  the change
upgrade-force | helm|helm3 upgrade --force|--force-replace|--reset-values | removes objects and makes them again
  | Upgrade without --force
helmfile-destroy | helmfile destroy|delete | removes all releases of a file | helmfile list shows them
]]
