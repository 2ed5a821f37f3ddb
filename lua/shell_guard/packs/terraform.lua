-- Terraform and compatible programs. Source: developer.hashicorp.com/terraform/cli/commands, opentofu.org/docs/cli.

local VALUES = [[-chdir --chdir --terragrunt-working-dir --working-dir]]

return {
  about = "infrastructure of Terraform: terraform, tofu, terragrunt",
  values = { ["*"] = VALUES },
  rules = {
    {
      "destroy", runs = { "terraform|tofu|terragrunt destroy|destroy-all", "terragrunt run-all|run|stack ** destroy" }, strict = true,
      because = "removes infrastructure", instead = "terraform plan -destroy shows what would go; let the user do it",
    },
    {
      "apply-destroy", runs = "terraform|tofu|terragrunt apply --destroy|-destroy", strict = true,
      because = "removes infrastructure", instead = "terraform plan -destroy shows what would go; let the user do it",
    },
    {
      "apply-unseen", runs = { "terraform|tofu|terragrunt apply --auto-approve|-auto-approve", "terragrunt run-all|run|stack ** apply --terragrunt-non-interactive|--non-interactive|--auto-approve|-auto-approve", "terragrunt apply-all --terragrunt-non-interactive|--non-interactive" }, strict = true,
      because = "changes infrastructure unseen", instead = "Write the plan to a file with plan -out, and let the user apply it",
    },
    {
      "state-rm", runs = "terraform|tofu|terragrunt state rm", strict = true,
      because = "forgets infrastructure", instead = "terraform state list shows what there is; -dry-run shows what would be forgotten",
      unless = "-dry-run",
    },
    {
      "state-write", runs = { "terraform|tofu|terragrunt state push|mv|replace-provider" }, unless = "-dry-run",
      because = "changes what is known about the infrastructure", instead = "terraform state pull saves the state first",
    },
    { "force-unlock", runs = "terraform|tofu|terragrunt force-unlock", because = "ends the lock of somebody who may be changing the infrastructure" },
    { "taint", runs = { "terraform|tofu|terragrunt taint", "terraform|tofu|terragrunt apply -replace|--replace" }, because = "has a resource removed and made again", instead = "terraform plan -replace shows the change" },
    { "workspace-delete", runs = "terraform|tofu|terragrunt workspace delete", because = "removes a workspace with its state" },
  },
}
