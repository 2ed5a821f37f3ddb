-- Kubernetes. Source: the references of kubectl, oc (kubernetes.io/docs/reference/kubectl).

return [[
objects in clusters of Kubernetes: kubectl, oc, kind, eksctl, argocd, flux
VALUES = -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout
  -f --filename -k --kustomize -l --selector --field-selector -o --output
KUBECTL = kubectl|oc|k|kubecolor|microk8s.kubectl
POD = pod|pods|po
POD_BY_NAME = pod/*|pods/*|po/*
values * = $VALUES
delete-namespace! | $KUBECTL delete ns|namespace|namespaces|project|projects|ns/*|namespace/*|namespaces/* | removes a
  namespace with all that is in it | kubectl get all -n NAME shows what is in it; let the user remove it
# A pod by its name is made anew by what it belongs to: this is how one restarts it.
delete! | $KUBECTL delete !$POD|$POD_BY_NAME ; $KUBECTL delete -f|--filename|-k|--kustomize ; $KUBECTL delete
  $POD|$POD_BY_NAME --all|-l|--selector|--field-selector|-A|--all-namespaces|--force ; $KUBECTL delete $POD_BY_NAME **
  !$POD_BY_NAME ; microk8s|k3s kubectl delete ; minikube kubectl ** delete | removes what others may use
  | --dry-run=client shows what would go; let the user do it
drain! | $KUBECTL drain ; oc adm drain | ends what runs on a node | kubectl cordon only keeps new pods away
cordon | $KUBECTL cordon|taint ; oc adm cordon|taint | keeps pods away from a node
replace! | $KUBECTL replace --force | removes and makes again | Use kubectl apply
prune | $KUBECTL apply --prune | removes what is not in the files | --dry-run=server shows what would go
scale-to-zero | $KUBECTL scale --replicas=0 | ends everything that a workload runs | Scale to at least one
rollout-undo | $KUBECTL rollout undo | puts an earlier version into use | kubectl rollout history shows the versions
replace-cluster | kind|k3d delete cluster|clusters ; k3d cluster delete|del|rm ; minikube delete ; kops delete
  cluster|instancegroup|instancegroups|ig ; eksctl delete ; kubeadm reset ; k3s-uninstall.sh ; rke remove ;
  rke2-uninstall.sh | removes a cluster or a part of it
argocd-delete | argocd app|appset|proj|repo|cluster delete|rm ; argocd app terminate-op | removes an application with
  what it has deployed | argocd app diff shows what it has
argocd-prune | argocd app sync --prune | removes what is not in the repository | Sync without --prune
flux-delete | flux delete ; flux uninstall | removes what keeps a cluster in step with its repository | flux suspend
  pauses it
etcdctl-delete | etcdctl del ; etcdctl member remove ; etcdctl snapshot restore | removes keys of the cluster's store
]]
