-- Other programs that make and remove infrastructure. Source: the reference of each program: pulumi.com/docs/iac/cli,
-- docs.aws.amazon.com/cdk, docs.ansible.com, serverless.com/framework/docs, developer.hashicorp.com/vagrant, libvirt.org.

return {
  about = "infrastructure and machines: pulumi, cdk, sam, sst, serverless, ansible, vagrant, virsh, packer, nomad, consul",
  values = { ["*"] = "-s --stack -C --cwd -i --inventory -m --module-name -a --args -c --connect -e --extra-vars" },
  rules = {
    { "pulumi-destroy", runs = { "pulumi destroy|down|dn" }, strict = true, because = "removes infrastructure", instead = "pulumi preview --diff shows changes; let the user do it", unless = "--preview-only" },
    { "pulumi-apply-unseen", runs = "pulumi up|update --yes|-y --skip-preview|-f", because = "changes infrastructure unseen", instead = "pulumi preview shows the change" },
    { "pulumi-state", runs = { "pulumi stack rm", "pulumi state delete|unprotect", "pulumi stack import", "pulumi cancel" }, because = "forgets infrastructure, or its history", instead = "pulumi stack export saves it first" },
    { "cdk-destroy", runs = "cdk|cdktf destroy", strict = true, because = "removes infrastructure", instead = "cdk list shows the stacks" },
    { "cdk-deploy-unseen", runs = { "cdk deploy --require-approval=never", "cdktf deploy|apply --auto-approve" }, because = "changes infrastructure unseen", instead = "cdk diff shows the change" },
    { "serverless-remove", runs = { "serverless|sls remove" }, strict = true, because = "removes infrastructure", instead = "serverless info shows what there is" },
    { "stack-delete", runs = { "sam delete", "sst remove", "copilot app|env|svc|job|pipeline|task delete", "chalice delete", "zappa undeploy", "amplify delete", "eb terminate" }, because = "removes infrastructure" },
    { "ansible-absent", runs = { "ansible --args=*state=absent*|-a=*state=absent*", "ansible-galaxy collection|role remove|delete" }, because = "removes files, packages or users of all hosts", instead = "--check shows what would change", unless = "--check -C" },
    { "vagrant-destroy", runs = { "vagrant destroy", "vagrant box remove|prune", "vagrant snapshot delete|restore|pop" }, strict = true, because = "removes a machine", instead = "vagrant halt only stops it" },
    { "virsh-destroy", runs = { "virsh undefine|destroy", "virsh vol-delete|pool-delete|snapshot-delete|net-destroy|net-undefine|vol-wipe" }, strict = true, because = "removes a machine", instead = "virsh shutdown only stops it" },
    { "vm-delete", runs = { "VBoxManage unregistervm --delete|--delete-all", "multipass delete|purge", "lxc|incus delete|rm", "limactl delete|remove|rm|factory-reset", "qm|pct destroy" }, because = "removes a machine", instead = "Stop it only" },
    { "nomad", runs = { "nomad stop --purge|-purge", "nomad job stop --purge|-purge", "nomad namespace|volume|node-pool delete", "nomad var purge", "nomad acl token|policy|role delete", "nomad system gc", "nomad node drain" }, because = "ends and removes what runs" },
    { "consul", runs = { "consul kv|config delete", "consul leave", "consul force-leave", "consul snapshot restore", "consul acl token|policy|role delete" }, because = "removes what services depend on" },
  },
}
