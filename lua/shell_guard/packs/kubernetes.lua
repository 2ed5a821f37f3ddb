-- Kubernetes. Source: the references of kubectl, oc (kubernetes.io/docs/reference/kubectl).

local VALUES = [[
  -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout -f --filename -k
  --kustomize -l --selector --field-selector -o --output
]]
local KUBECTL = "kubectl|oc|k|kubecolor|microk8s.kubectl"
local POD = "pod|pods|po"
local POD_BY_NAME = "pod/*|pods/*|po/*"

return {
  about = "objects in clusters of Kubernetes: kubectl, oc, kind, eksctl, argocd, flux",
  values = { ["*"] = VALUES },
  rules = {
    {
      "delete-namespace", runs = { KUBECTL .. " delete ns|namespace|namespaces|project|projects|ns/*|namespace/*|namespaces/*" }, strict = true,
      because = "removes a namespace with all that is in it", instead = "kubectl get all -n NAME shows what is in it; let the user remove it",
    },
    {
      -- A pod by its name is made anew by what it belongs to: this is how one restarts it.
      "delete", strict = true, runs = {
        KUBECTL .. " delete !" .. POD .. "|" .. POD_BY_NAME, KUBECTL .. " delete -f|--filename|-k|--kustomize",
        KUBECTL .. " delete " .. POD .. "|" .. POD_BY_NAME .. " --all|-l|--selector|--field-selector|-A|--all-namespaces|--force",
        KUBECTL .. " delete " .. POD_BY_NAME .. " ** !" .. POD_BY_NAME,
        "microk8s|k3s kubectl delete", "minikube kubectl ** delete",
      },
      because = "removes what others may use", instead = "--dry-run=client shows what would go; let the user do it",
    },
    {
      "drain", runs = { KUBECTL .. " drain", "oc adm drain" }, strict = true,
      because = "ends what runs on a node", instead = "kubectl cordon only keeps new pods away",
    },
    { "cordon", runs = { KUBECTL .. " cordon|taint", "oc adm cordon|taint" }, because = "keeps pods away from a node" },
    {
      "replace", runs = KUBECTL .. " replace --force", strict = true,
      because = "removes and makes again", instead = "Use kubectl apply",
    },
    { "prune", runs = KUBECTL .. " apply --prune", because = "removes what is not in the files", instead = "--dry-run=server shows what would go" },
    { "scale-to-zero", runs = KUBECTL .. " scale --replicas=0", because = "ends everything that a workload runs", instead = "Scale to at least one" },
    { "rollout-undo", runs = KUBECTL .. " rollout undo", because = "puts an earlier version into use", instead = "kubectl rollout history shows the versions" },
    {
      "replace-cluster", runs = { "kind|k3d delete cluster|clusters", "k3d cluster delete|del|rm", "minikube delete", "kops delete cluster|instancegroup|instancegroups|ig", "eksctl delete", "kubeadm reset", "k3s-uninstall.sh", "rke remove", "rke2-uninstall.sh" },
      because = "removes a cluster or a part of it",
    },
    {
      "argocd-delete", runs = { "argocd app|appset|proj|repo|cluster delete|rm", "argocd app terminate-op" },
      because = "removes an application with what it has deployed", instead = "argocd app diff shows what it has",
    },
    { "argocd-prune", runs = "argocd app sync --prune", because = "removes what is not in the repository", instead = "Sync without --prune" },
    { "flux-delete", runs = { "flux delete", "flux uninstall" }, because = "removes what keeps a cluster in step with its repository", instead = "flux suspend pauses it" },
    { "etcdctl-delete", runs = { "etcdctl del", "etcdctl member remove", "etcdctl snapshot restore" }, because = "removes keys of the cluster's store" },
  },
}
