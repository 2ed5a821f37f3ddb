-- GitLab. Source: gitlab.com/gitlab-org/cli (docs), docs.gitlab.com/api, docs.gitlab.com/runner/commands.

return {
  about = "projects, releases and pipelines of GitLab: glab, gitlab-runner, gitlab-rake, its API",
  values = { ["*"] = "-R --repo -g --group" },
  rules = {
    { "delete", runs = { "glab repo|project|release|issue|mr delete", "glab repo|project transfer" }, strict = true, because = "removes what others may use" },
    { "settings-delete", runs = { "glab variable|label|milestone|schedule|token|ssh-key|deploy-key|snippet|securefile|iteration|cluster delete|remove|rm|revoke", "glab opentofu|terraform|tf state delete", "glab repo members remove", "glab auth logout" }, because = "removes settings that pipelines and people use" },
    { "ci-delete", runs = { "glab ci|pipeline|pipe|job delete|cancel" }, because = "removes a pipeline with its jobs and artefacts" },
    { "api-delete", runs = { "glab api --method=DELETE|-X=DELETE|-XDELETE", "glab api --method=delete|-X=delete" }, because = "removes what others may use", instead = "A GET of the same path shows what it is" },
    { "runner-unregister", runs = { "gitlab-runner unregister", "gitlab-runner verify --delete", "gitlab-runner reset-token" }, because = "takes a runner away from pipelines", instead = "gitlab-runner list shows the runners" },
    { "http-delete", http = { "DELETE", "*/api/v4/*" }, because = "removes what others may use", instead = "A GET of the same address shows what it is" },
    { "server", runs = { "gitlab-rake gitlab:backup:restore|gitlab:cleanup:*|gitlab:setup|gitlab:db:*", "gitlab-ctl cleanse|uninstall|remove-accounts|deploy-page", "gitlab-backup restore" }, because = "replaces or removes data of the server" },
    { "rails", runs = { "gitlab-rails runner|r", "gitlab-rails console" }, says = { "destroy", "delete", "drop", "truncate" }, because = "removes data of the server from within a program" },
  },
}
