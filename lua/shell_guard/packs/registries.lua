-- Package registries. Source: the reference of each package manager: docs.npmjs.com/cli, doc.rust-lang.org/cargo,
-- guides.rubygems.org,
-- twine.readthedocs.io, maven.apache.org, docs.gradle.org, github.com/containers/skopeo.

return [[
publishing to and removing from package registries: npm, cargo, gem, twine, poetry, maven, gradle, skopeo
GOOD = publishes for good
values cargo = --registry --index --token -Z --manifest-path -p --package
values npm = --registry --otp --tag -w --workspace
npm-unpublish! | npm|pnpm unpublish | takes a published package away from those who use it | Publish a fixed version
npm-deprecate! | npm|pnpm deprecate | tells all users of a package to leave it
npm-owner! | npm owner|access|team|org rm|revoke|remove|destroy ; npm dist-tag|token|hook rm|revoke|remove|delete ;
  npm owner add | takes rights away
npm-publish | npm|pnpm|bun publish ; pnpm ** publish ; yarn publish ; yarn npm publish ; lerna publish ; changeset
  publish ; nx release ** publish ; jsr|deno publish ; vsce|ovsx publish|unpublish | $GOOD | npm pack shows what would
  be in it
cargo-yank! | cargo yank ; @unless --undo | takes a published version away
cargo-publish | cargo publish ; cargo owner --remove|-r ; cargo release ; @unless -n | $GOOD | cargo package shows
  what would be in it
gem-yank! | gem yank | takes a published version away
gem-push | gem push ; gem owner --remove|-r ; pod trunk push|delete|deprecate | $GOOD
pypi! | twine|poetry|flit|hatch|pdm|uv upload|publish | $GOOD | Build it and look at the archive first
pypi-build | python|python3 setup.py upload ; python|python3 setup.py ** upload ; python|python3 twine upload | $GOOD
java | mvn|./mvnw|mvnw ** deploy|release:*|deploy:*|*:publish ; gradle|./gradlew|gradlew ** publish|publish*|
  *:publish*|uploadarchives|closeandreleaserepository ; sbt publish|publishsigned|release ; @without
  *publishtomavenlocal|publishlocal | $GOOD | Use install or publishToMavenLocal, which stay here
dotnet | dotnet nuget push|delete ; nuget push|delete ; dart|flutter pub publish ; dart|flutter pub uploader ; mix
  hex.publish|hex.retire ; cabal|stack upload ; luarocks upload ; opam publish ; anaconda upload|remove ; conan upload
  ; conan remove -r|--remote ; helm push ; helm cm-push | $GOOD
# A push puts a new image beside the earlier ones, which their digests still name, as a push of git does.
images | skopeo delete|sync ; crane delete ; regctl ** delete|rm ; oras manifest|blob delete ;
  docker|podman|nerdctl|buildah push --all-tags|-a ; docker|podman image|manifest push --all-tags|-a | removes or
  replaces what others get from a registry
uninstall | conda|mamba|micromamba env remove ; conda|mamba|micromamba remove|uninstall --all ; pipx uninstall-all ;
  poetry env remove | removes an environment with all that is in it | Let the user do it
]]
