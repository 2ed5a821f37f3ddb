-- Package registries. Source: the reference of each package manager: docs.npmjs.com/cli, doc.rust-lang.org/cargo, guides.rubygems.org,
-- twine.readthedocs.io, maven.apache.org, docs.gradle.org, github.com/containers/skopeo.

local GOOD = "publishes for good"

return {
  about = "publishing to and removing from package registries: npm, cargo, gem, twine, poetry, maven, gradle, skopeo",
  values = { npm = "--registry --otp --tag -w --workspace", cargo = "--registry --index --token -Z --manifest-path -p --package" },
  rules = {
    { "npm-unpublish", runs = "npm|pnpm unpublish", strict = true, because = "takes a published package away from those who use it", instead = "Publish a fixed version" },
    { "npm-deprecate", runs = { "npm|pnpm deprecate" }, strict = true, because = "tells all users of a package to leave it" },
    { "npm-owner", runs = { "npm owner|access|team|org rm|revoke|remove|destroy", "npm dist-tag|token|hook rm|revoke|remove|delete", "npm owner add" }, strict = true, because = "takes rights away" },
    { "npm-publish", runs = { "npm|pnpm|bun publish", "pnpm ** publish", "yarn publish", "yarn npm publish", "lerna publish", "changeset publish", "nx release ** publish", "jsr|deno publish", "vsce|ovsx publish|unpublish" }, because = GOOD, instead = "npm pack shows what would be in it" },
    { "cargo-yank", runs = "cargo yank", strict = true, unless = "--undo", because = "takes a published version away" },
    { "cargo-publish", runs = { "cargo publish", "cargo owner --remove|-r", "cargo release" }, unless = "-n", because = GOOD, instead = "cargo package shows what would be in it" },
    { "gem-yank", runs = "gem yank", strict = true, because = "takes a published version away" },
    { "gem-push", runs = { "gem push", "gem owner --remove|-r", "pod trunk push|delete|deprecate" }, because = GOOD },
    { "pypi", runs = "twine|poetry|flit|hatch|pdm|uv upload|publish", strict = true, because = GOOD, instead = "Build it and look at the archive first" },
    { "pypi-build", runs = { "python|python3 setup.py upload", "python|python3 setup.py ** upload", "python|python3 twine upload" }, because = GOOD },
    { "java", runs = { "mvn|./mvnw|mvnw ** deploy|release:*|deploy:*|*:publish", "gradle|./gradlew|gradlew ** publish|publish*|*:publish*|uploadarchives|closeandreleaserepository", "sbt publish|publishsigned|release" }, without = "*publishtomavenlocal|publishlocal", because = GOOD, instead = "Use install or publishToMavenLocal, which stay here" },
    { "dotnet", runs = { "dotnet nuget push|delete", "nuget push|delete", "dart|flutter pub publish", "dart|flutter pub uploader", "mix hex.publish|hex.retire", "cabal|stack upload", "luarocks upload", "opam publish", "anaconda upload|remove", "conan upload", "conan remove -r|--remote", "helm push", "helm cm-push" }, because = GOOD },
    -- A push puts a new image beside the earlier ones, which their digests still name, as a push of git does.
    { "images", runs = { "skopeo delete|sync", "crane delete", "regctl ** delete|rm", "oras manifest|blob delete", "docker|podman|nerdctl|buildah push --all-tags|-a", "docker|podman image|manifest push --all-tags|-a" }, because = "removes or replaces what others get from a registry" },
    { "uninstall", runs = { "conda|mamba|micromamba env remove", "conda|mamba|micromamba remove|uninstall --all", "pipx uninstall-all", "poetry env remove" }, because = "removes an environment with all that is in it", instead = "Let the user do it" },
  },
}
