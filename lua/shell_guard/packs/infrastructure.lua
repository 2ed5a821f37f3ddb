-- Other programs that make and remove infrastructure. Source: the reference of each program: pulumi.com/docs/iac/cli,
-- docs.aws.amazon.com/cdk, docs.ansible.com, serverless.com/framework/docs, developer.hashicorp.com/vagrant,
-- libvirt.org.

return [[
infrastructure and machines: pulumi, cdk, sam, sst, serverless, ansible, vagrant, virsh, packer, nomad, consul
values * = -s --stack -C --cwd -i --inventory -m --module-name -a --args -c --connect -e --extra-vars
pulumi-destroy! | pulumi destroy|down|dn ; @unless --preview-only | removes infrastructure | pulumi preview --diff
  shows changes; let the user do it
pulumi-apply-unseen | pulumi up|update --yes|-y --skip-preview|-f | changes infrastructure unseen | pulumi preview
  shows the change
pulumi-state | pulumi stack rm ; pulumi state delete|unprotect ; pulumi stack import ; pulumi cancel | forgets
  infrastructure, or its history | pulumi stack export saves it first
cdk-destroy! | cdk|cdktf destroy | removes infrastructure | cdk list shows the stacks
cdk-deploy-unseen | cdk deploy --require-approval=never ; cdktf deploy|apply --auto-approve | changes infrastructure
  unseen | cdk diff shows the change
serverless-remove! | serverless|sls remove | removes infrastructure | serverless info shows what there is
stack-delete | sam delete ; sst remove ; copilot app|env|svc|job|pipeline|task delete ; chalice delete ; zappa
  undeploy ; amplify delete ; eb terminate | removes infrastructure
ansible-absent | ansible --args=*state=absent*|-a=*state=absent* ; ansible-galaxy collection|role remove|delete ;
  @unless --check -C | removes files, packages or users of all hosts | --check shows what would change
vagrant-destroy! | vagrant destroy ; vagrant box remove|prune ; vagrant snapshot delete|restore|pop | removes a
  machine | vagrant halt only stops it
virsh-destroy! | virsh undefine|destroy ; virsh vol-delete|pool-delete|snapshot-delete|net-destroy|net-undefine|
  vol-wipe | removes a machine | virsh shutdown only stops it
vm-delete | VBoxManage unregistervm --delete|--delete-all ; multipass delete|purge ; lxc|incus delete|rm ; limactl
  delete|remove|rm|factory-reset ; qm|pct destroy | removes a machine | Stop it only
nomad | nomad stop --purge|-purge ; nomad job stop --purge|-purge ; nomad namespace|volume|node-pool delete ; nomad
  var purge ; nomad acl token|policy|role delete ; nomad system gc ; nomad node drain | ends and removes what runs
consul | consul kv|config delete ; consul leave ; consul force-leave ; consul snapshot restore ; consul acl
  token|policy|role delete | removes what services depend on
]]
