-- Helm. Source: helm.sh/docs/helm, helmfile.readthedocs.io.

return {
  about = "releases of Helm: helm, helmfile",
  values = { ["*"] = "-n --namespace --kube-context --kubeconfig -f --file -e --environment -l --selector" },
  rules = {
    {
      "uninstall", runs = { "helm uninstall|delete|un|del", "helm3 uninstall|delete|un|del" }, strict = true,
      because = "removes what others may use", instead = "--dry-run shows what would go; let the user do it",
    },
    { "rollback", runs = "helm|helm3 rollback", because = "puts an earlier version into use", instead = "helm history shows the versions; --dry-run shows the change" },
    {
      "upgrade-force", runs = { "helm|helm3 upgrade --force|--force-replace|--reset-values" },
      because = "removes objects and makes them again", instead = "Upgrade without --force",
    },
    { "helmfile-destroy", runs = "helmfile destroy|delete", because = "removes all releases of a file", instead = "helmfile list shows them" },
  },
}
