-- GitHub. Source: cli.github.com/manual, docs.github.com/rest.

return [[
repositories, releases and settings of GitHub: gh, its API
values * = -R --repo -h --hostname
repo-delete! | gh repo delete|archive | removes a repository | Let the user do it
delete! | gh release|gist|secret|variable|label|cache|issue|run|codespace|project delete ; gh secret|variable remove ;
  gh workflow disable ; gh release delete-asset ; gh codespace|cs delete ; gh project item-delete|field-delete
  | removes what others may use
keys-delete | gh ssh-key|gpg-key delete ; gh repo deploy-key|autolink delete ; gh auth logout | takes access away
api-delete! | gh api --method=DELETE|-X=DELETE|-XDELETE ; gh api --method=delete|-X=delete | removes what others may
  use | A GET of the same path shows what it is
api-write | gh api --method=PUT|-X=PUT|-XPUT ; gh api graphql --field=*delete*|-f=*delete*|--raw-field=*delete*|
  -F=*delete* | replaces what others may use
run-cancel | gh run cancel ; gh pr close --delete-branch|-d ; gh issue transfer ; gh repo rename ; gh repo edit
  --visibility ; gh repo sync --force | ends or changes what others may use
http-delete | @http DELETE api.github.com/* | removes what others may use | A GET of the same address shows what it is
]]
