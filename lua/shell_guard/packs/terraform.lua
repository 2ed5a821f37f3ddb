-- Terraform and compatible programs. Source: developer.hashicorp.com/terraform/cli/commands, opentofu.org/docs/cli.

return [[
infrastructure of Terraform: terraform, tofu, terragrunt
VALUES = -chdir --chdir --terragrunt-working-dir --working-dir
values * = $VALUES
destroy! | terraform|tofu|terragrunt destroy|destroy-all ; terragrunt run-all|run|stack ** destroy | removes
  infrastructure | terraform plan -destroy shows what would go; let the user do it
apply-destroy! | terraform|tofu|terragrunt apply --destroy|-destroy | removes infrastructure | terraform plan -destroy
  shows what would go; let the user do it
apply-unseen! | terraform|tofu|terragrunt apply --auto-approve|-auto-approve ; terragrunt run-all|run|stack ** apply
  --terragrunt-non-interactive|--non-interactive|--auto-approve|-auto-approve ; terragrunt apply-all
  --terragrunt-non-interactive|--non-interactive | changes infrastructure unseen | Write the plan to a file with plan
  -out, and let the user apply it
state-rm! | terraform|tofu|terragrunt state rm ; @unless -dry-run | forgets infrastructure | terraform state list
  shows what there is; -dry-run shows what would be forgotten
state-write | terraform|tofu|terragrunt state push|mv|replace-provider ; @unless -dry-run | changes what is known
  about the infrastructure | terraform state pull saves the state first
force-unlock | terraform|tofu|terragrunt force-unlock | ends the lock of somebody who may be changing the
  infrastructure
taint | terraform|tofu|terragrunt taint ; terraform|tofu|terragrunt apply -replace|--replace | has a resource removed
  and made again | terraform plan -replace shows the change
workspace-delete | terraform|tofu|terragrunt workspace delete | removes a workspace with its state
]]
