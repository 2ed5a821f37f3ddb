-- GitHub. Source: cli.github.com/manual, docs.github.com/rest.

return {
  about = "repositories, releases and settings of GitHub: gh, its API",
  values = { ["*"] = "-R --repo -h --hostname" },
  rules = {
    { "repo-delete", runs = "gh repo delete|archive", strict = true, because = "removes a repository", instead = "Let the user do it" },
    { "delete", runs = { "gh release|gist|secret|variable|label|cache|issue|run|codespace|project delete", "gh secret|variable remove", "gh workflow disable", "gh release delete-asset", "gh codespace|cs delete", "gh project item-delete|field-delete" }, strict = true, because = "removes what others may use" },
    { "keys-delete", runs = { "gh ssh-key|gpg-key delete", "gh repo deploy-key|autolink delete", "gh auth logout" }, because = "takes access away" },
    { "api-delete", runs = { "gh api --method=DELETE|-X=DELETE|-XDELETE", "gh api --method=delete|-X=delete" }, strict = true, because = "removes what others may use", instead = "A GET of the same path shows what it is" },
    { "api-write", runs = { "gh api --method=PUT|-X=PUT|-XPUT", "gh api graphql --field=*delete*|-f=*delete*|--raw-field=*delete*|-F=*delete*" }, because = "replaces what others may use" },
    { "run-cancel", runs = { "gh run cancel", "gh pr close --delete-branch|-d", "gh issue transfer", "gh repo rename", "gh repo edit --visibility", "gh repo sync --force" }, because = "ends or changes what others may use" },
    { "http-delete", http = { "DELETE", "api.github.com/*" }, because = "removes what others may use", instead = "A GET of the same address shows what it is" },
  },
}
