-- GitLab. Source: gitlab.com/gitlab-org/cli (docs), docs.gitlab.com/api, docs.gitlab.com/runner/commands.

return [[
projects, releases and pipelines of GitLab: glab, gitlab-runner, gitlab-rake, its API
values * = -R --repo -g --group
delete! | glab repo|project|release|issue|mr delete ; glab repo|project transfer | removes what others may use
settings-delete | glab variable|label|milestone|schedule|token|ssh-key|deploy-key|snippet|securefile|iteration|cluster
  delete|remove|rm|revoke ; glab opentofu|terraform|tf state delete ; glab repo members remove ; glab auth logout
  | removes settings that pipelines and people use
ci-delete | glab ci|pipeline|pipe|job delete|cancel | removes a pipeline with its jobs and artefacts
api-delete | glab api --method=DELETE|-X=DELETE|-XDELETE ; glab api --method=delete|-X=delete | removes what others
  may use | A GET of the same path shows what it is
runner-unregister | gitlab-runner unregister ; gitlab-runner verify --delete ; gitlab-runner reset-token | takes a
  runner away from pipelines | gitlab-runner list shows the runners
http-delete | @http DELETE */api/v4/* | removes what others may use | A GET of the same address shows what it is
server | gitlab-rake gitlab:backup:restore|gitlab:cleanup:*|gitlab:setup|gitlab:db:* ; gitlab-ctl
  cleanse|uninstall|remove-accounts|deploy-page ; gitlab-backup restore | replaces or removes data of the server
rails | gitlab-rails runner|r ; gitlab-rails console ; @says destroy ; @says delete ; @says drop ; @says truncate
  | removes data of the server from within a program
]]
