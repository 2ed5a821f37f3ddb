import { lineOf } from "./rows.ts";
import { TRADES } from "./everyday-trades.ts";

/** What developers type all day: none of it may be refused, nor asked about, at the default level. */
export const EVERYDAY: readonly string[] = String.raw`
git status
git status --short --branch
git diff
git diff --cached -- src/index.ts
git diff HEAD~1 --stat
git log --oneline -20
git log --graph --all --decorate
git log -p --follow -- README.md
git log --author="$USER" --since="2 weeks ago"
git show HEAD:package.json
git show $(git rev-parse HEAD)
git blame -L 10,20 src/main.c
git add -A
git add -p
git add . && git commit -m "fix: remove the old parser"
git commit -m "$(date +%F) notes"
git commit --amend --no-edit
git commit -am "wip: rm -rf the build folder before packing"
git commit --allow-empty -m "trigger ci"
git checkout main
git checkout -b feature/login
git checkout -b "fix/$(date +%s)"
git checkout feature/v1.2
git checkout v2.0.1
git checkout -
git checkout "$BRANCH"
git checkout --theirs package-lock.json
git checkout -b release/1.4 origin/main
git checkout --track origin/develop
git checkout --detach HEAD~2
git switch main
git switch -c topic
git switch -
git restore --staged src/app.ts
git restore --staged .
git branch
git branch -a -vv
git branch -d merged-topic
git branch --merged main | grep -v main | xargs git branch -d
git branch --show-current
git branch -m old-name new-name
git branch -u origin/main
git push
git push origin main
git push -u origin HEAD
git push --set-upstream origin "$(git branch --show-current)"
git push --force-with-lease
git push --force-with-lease origin topic
git push --force-with-lease --force-if-includes
git push origin HEAD:refs/for/main
git push --tags
git push --follow-tags origin main
git push --dry-run --force
git pull
git pull --rebase --autostash
git pull --ff-only origin main
git fetch --all --prune
git fetch origin pull/42/head:pr-42
git merge --no-ff topic
git merge --abort
git rebase main
git rebase -i HEAD~3
git rebase --continue
git rebase --abort
git cherry-pick abc123
git revert HEAD --no-edit
git reset HEAD~1
git reset --soft HEAD~1
git reset
git reset HEAD -- src/a.ts
git stash
git stash push -m "before rebase" src
git stash pop
git stash list
git stash show -p stash@{0}
git stash apply
git clean -n
git clean -ndx
git tag -a v1.0.0 -m "v1.0.0"
git tag --list 'v*'
git remote -v
git remote add upstream https://example.com/x/y.git
git remote prune origin
git worktree add ../hotfix main
git worktree list
git worktree remove ../hotfix
git submodule update --init --recursive
git bisect start HEAD v1.0
git reflog
git gc
git -C packages/core log -1
git --no-pager log -3
git -c user.name=ci -c user.email=ci@example.com commit -m "chore: bump"
git config user.email
git config --global --get core.editor
git ls-files | wc -l
git ls-files -z | xargs -0 grep -l TODO
git grep -n "git push --force" docs
git describe --tags --always
git rev-parse --abbrev-ref HEAD
git shortlog -sn
git archive --format=tar.gz -o release.tar.gz HEAD
git apply patch.diff
git format-patch -1 HEAD
git clone --depth 1 https://example.com/a/b.git /tmp/b
git init -b main
cd $(git rev-parse --show-toplevel) && git status
npm install
npm ci
npm run build
npm run build && npm test
npm test -- --watch=false
npm run lint -- --fix
npm install --save-dev typescript@latest
npm uninstall left-pad
npm outdated || true
npm publish --dry-run
npm version patch
npm ls --depth=0
npm cache clean --force
npm audit fix
npm pack
npm link ../lib
npx tsc --noEmit
npx eslint . --fix
npx prettier --write "src/**/*.ts"
npx vitest run test/unit
npx create-vite@latest my-app -- --template react
npx rimraf dist
pnpm install --frozen-lockfile
pnpm -r build
pnpm --filter web dev
pnpm add -D vitest
pnpm store prune
yarn
yarn add react react-dom
yarn workspaces foreach run build
yarn cache clean
bun install
bun test
bun run dev
deno task start
deno fmt
node index.js
node --test
node -e "console.log(process.version)"
node -p "require('./package.json').version"
NODE_ENV=production node server.js
VERSION=$(node -p "require('./package.json').version") && echo "v$VERSION"
cargo build --release
cargo test -- --nocapture
cargo clippy --all-targets -- -D warnings
cargo fmt --check
cargo clean
cargo run --bin server -- --port 8080
RUST_LOG=debug cargo run
cargo add serde --features derive
rustup update stable
go build ./...
go test ./... -run TestParse -count=1
go mod tidy
go vet ./...
go run ./cmd/server
go clean -testcache
GOOS=linux GOARCH=amd64 go build -o bin/app ./cmd/app
python -m venv .venv && source .venv/bin/activate && pip install -r requirements.txt
python3 manage.py migrate
python3 -c "import sys; print(sys.version)"
python -m pytest -x -q tests/test_api.py
python -m http.server 8000
pip install -e ".[dev]"
pip freeze > requirements.txt
pip uninstall -y requests
poetry install
poetry run pytest
uv sync
uv pip install ruff
uv run ruff check --fix .
ruff format .
mypy src
pytest -k "not slow" --maxfail=1
tox -e py311
black . && isort .
conda activate base
bundle install
bundle exec rspec spec/models
rails db:migrate
mvn -q clean install -DskipTests
./gradlew clean build
./mvnw test
gradle wrapper
dotnet build
dotnet test --no-build
make
make clean
make -j$(nproc) all
make install PREFIX=$HOME/.local
CC=clang make
cmake -S . -B build && cmake --build build -j 8
ninja -C build
$CC -O2 -o hello hello.c
$EDITOR notes.md
"$PYTHON" -m pip list
./configure --prefix=/usr/local && make
bash scripts/setup.sh
sh -c "echo hello"
bash -lc "nvm use 20 && npm ci"
./scripts/release.sh --dry-run
source ~/.bashrc
. ./env.sh
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
eval "$(pyenv init -)"
source <(kubectl completion bash)
export PATH="$HOME/bin:$PATH"
export NODE_OPTIONS=--max-old-space-size=4096
echo $PATH
echo "$HOME"
echo "rm -rf /"
printf '%s\n' "$RESULT"
set -euo pipefail; npm ci; npm run build
cd $DIR && npm test
cd "$(mktemp -d)" && git clone https://example.com/r.git
d=$(mktemp -d) && tar xzf pkg.tgz -C "$d" && ls "$d" && rm -rf "$d"
tmp=$(mktemp); curl -fsSL https://example.com/a.json -o "$tmp"; jq . "$tmp"; rm -f "$tmp"
trap 'rm -rf "$tmp"' EXIT; tmp=$(mktemp -d); cp -r src "$tmp"
ls -la
ls -1 | head
ls **/*.ts
tree -L 2 -I node_modules
pwd
cat package.json | jq .scripts
cat <<EOF > config.yml
head -n 50 src/index.ts
tail -f logs/app.log
less README.md
wc -l src/*.ts | sort -n
mkdir -p src/components/forms
touch src/index.ts
cp -r template my-app
cp .env.example .env
mv src/old.ts src/new.ts
mv dist/* public/
ln -s ../shared shared
ln -sf /usr/bin/python3 ~/.local/bin/python
rm file.txt
rm -f a.o b.o
rm *.log
rm -rf dist
rm -rf node_modules && npm install
rm -rf node_modules package-lock.json
rm -rf ./build ./coverage .next
rm -rf build/*
rm -rf packages/*/dist
rm -rf "$PWD/dist"
rm -rf src/legacy
rm -rf /tmp/test-output
rm -rf /tmp/build-$$
rm -rf "$\{TMPDIR}/cache"
rm -rf build/$TARGET
rm -rf target/debug/incremental
rm -r docs/old
rm -f .git/index.lock
rm -rf .venv __pycache__ .pytest_cache
cd build && rm -rf * && cmake ..
(cd packages/web && rm -rf dist && npm run build)
for d in a b c; do rm -rf "$d/node_modules"; done
for f in *.png; do convert "$f" "$\{f%.png}.jpg"; done
for i in $(seq 1 5); do curl -s localhost:3000/health; sleep 1; done
for p in packages/*; do (cd "$p" && npm test); done
while read -r line; do echo "$line"; done < names.txt
while ! nc -z localhost 5432; do sleep 1; done
until curl -sf localhost:8080; do sleep 1; done
if [ -d dist ]; then rm -rf dist; fi
if [[ "$CI" == "true" ]]; then npm ci; else npm install; fi
[ -f .env ] && source .env
case "$1" in start) npm start;; *) echo usage;; esac
test -n "$TOKEN" || echo missing
unlink old-link
rmdir empty
find . -name "*.ts" -not -path "*/node_modules/*"
find . -type f -name "*.pyc" -delete
find . -name __pycache__ -type d -exec rm -rf {} +
find . -name node_modules -type d -prune -exec rm -rf '{}' +
find . -name .DS_Store -delete
find . -type d -empty -delete
find src -name "*.test.ts" | xargs wc -l
find . -name "*.orig" -print0 | xargs -0 rm -f
find . -name '*.js' -exec grep -l TODO {} \;
find /tmp -name 'test-*' -mtime +1 -delete
find . -newer package.json -type f
find dist -type f -name '*.map' -delete
fd -e ts
grep -rn "TODO" src
grep -r "git push --force" docs
grep -E "rm -rf|mkfs" scripts/*.sh
rg "dangerous" --type ts -l
rg -l foo | xargs sed -i 's/foo/bar/g'
sed -i 's/foo/bar/' src/config.ts
sed -n '1,20p' file.txt
awk '{print $1}' data.csv | sort | uniq -c
awk -F, '{ sum += $3 } END { print sum }' data.csv
sort -u names.txt | tee sorted.txt
xargs -n1 basename < list.txt
echo "a b c" | xargs -n1 echo
cut -d: -f1 /etc/passwd
tr -d '\r' < in.txt > out.txt
diff -u a.txt b.txt
chmod +x scripts/*.sh
chmod 644 README.md
chmod -R u+rwX dist
chmod -R 755 public
chown -R "$USER" .
sudo chown -R $(whoami) ~/.npm
sudo apt-get update
sudo apt-get install -y build-essential
apt list --installed
brew install jq
brew update && brew upgrade
sudo systemctl restart nginx
systemctl status docker
journalctl -u nginx -n 100 --no-pager
crontab -l
ps aux | grep node
kill 12345
kill -9 $(lsof -ti:3000)
kill -TERM $PID
pkill -f "vite dev"
killall node
lsof -i :3000
df -h
du -sh * | sort -h
free -m
uname -a
date +%Y-%m-%d
which node
env | sort
history | tail -20
time npm run build
timeout 60 npm test
nohup npm start > server.log 2>&1 &
watch -n 2 kubectl get pods
curl https://example.com
curl -fsSL https://example.com/data.json | jq '.items[]'
curl -s https://example.com/x.json | python3 -m json.tool
curl -s https://example.com/x.json | python3 -c "import json,sys; print(json.load(sys.stdin)['name'])"
curl -X POST -H 'Content-Type: application/json' -d '{"a":1}' localhost:3000/api
curl -o file.tar.gz https://example.com/file.tar.gz && tar xzf file.tar.gz
curl -I https://example.com
wget -q https://example.com/file.zip
wget -qO- https://example.com | grep title
tar czf backup.tar.gz src
tar xzf archive.tar.gz -C /tmp/out
unzip -o bundle.zip -d out
zip -r out.zip dist
gzip -k log.txt
base64 -d secret.b64 > secret.bin
echo aGVsbG8= | base64 -d
openssl rand -hex 32
ssh user@host
ssh user@host "cd app && git pull && npm ci"
ssh -L 5432:localhost:5432 bastion
scp dist.tar.gz user@host:/srv/app/
rsync -av --exclude node_modules ./ user@host:/srv/app/
docker build -t app:latest .
docker run --rm -it -v "$PWD":/app -w /app node:20 npm test
docker run -d --name db -e POSTGRES_PASSWORD=x -p 5432:5432 postgres:16
docker ps -a
docker logs -f web
docker exec -it web sh
docker exec web rm -rf /var/cache/app
docker exec db psql -U postgres -c "select count(*) from users"
docker compose up -d --build
docker compose down
docker images | grep app
docker rm -f web
docker stop $(docker ps -q)
docker system prune
docker inspect web | jq '.[0].State'
podman ps
kubectl get pods -n prod
kubectl describe pod web-0
kubectl logs -f deploy/web
kubectl apply -f k8s/
kubectl exec -it web-0 -- sh
kubectl port-forward svc/web 8080:80
kubectl rollout restart deploy/web
kubectl delete pod web-0
helm upgrade --install web ./chart
terraform init
terraform plan -out=tfplan
terraform fmt -recursive
terraform validate
aws s3 ls s3://bucket
aws s3 cp dist s3://bucket --recursive
gcloud auth list
gh pr create --fill
gh pr checkout 42
gh pr view --json title,body
gh pr merge 42 --squash --delete-branch
gh issue list --label bug
gh run watch
gh api repos/o/r/pulls | jq '.[].title'
gh release create v1.0.0 --notes "first"
psql -c "select * from users limit 5"
psql "$DATABASE_URL" -f schema.sql
sqlite3 app.db ".tables"
mysql -u root -e "show databases"
redis-cli ping
createdb test_db
dd if=/dev/zero of=test.img bs=1M count=10
head -c 16 /dev/urandom | xxd
echo hello > /dev/null
command -v docker >/dev/null 2>&1 || echo "no docker"
npm test 2>&1 | tee test.log
npm run dev > /dev/null 2>&1 &
exec "$@"
"$JAVA_HOME/bin/java" -jar app.jar
$(npm bin)/eslint .
[ -n "$SKIP" ] || npx playwright test
jq -r '.dependencies | keys[]' package.json
yq '.services' docker-compose.yml
ffmpeg -i in.mp4 -vf scale=1280:-1 out.mp4
code .
open coverage/index.html
tmux new -s dev
vim +10 src/main.rs
man git-push
alias gs="git status"
function greet { echo "hi $1"; }; greet bob
arr=(a b c); for x in "$\{arr[@]}"; do echo "$x"; done
read -p "continue? " answer
let i=1+1
(( count++ )) || true
sleep 5 && echo done
[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"
source "$(dirname "$0")/lib.sh"
for t in tests/*.sh; do bash "$t"; done
rm -rf $(find . -name node_modules -type d)
git stash && git pull && git stash pop
git diff --name-only | xargs -r prettier --write
for f in $(git diff --name-only); do prettier --write "$f"; done
find . -name "*.py" -exec black {} +
ps aux | grep node | awk '{print $2}' | xargs kill -9
kill -9 $(pgrep -f vite)
docker ps -aq | xargs docker rm
docker compose exec -T db psql -U x -c "select 1"
docker run --rm -v $(pwd):/src -w /src img make
ssh deploy@host 'cd /srv/app && git pull && docker compose up -d'
tar -czf - dir | ssh host 'tar -xzf - -C /srv'
export $(grep -v '^#' .env | xargs)
set -a; source .env; set +a
"$\{SCRIPT_DIR}/build.sh" --fast
$HOME/.cargo/bin/cargo build
$(go env GOPATH)/bin/golangci-lint run
$\{CXX:-g++} -o x x.cc
if ! command -v jq &> /dev/null; then echo no; fi
[ "$(id -u)" -eq 0 ] || exit 1
while IFS= read -r line; do echo "$line"; done < <(git log --oneline)
true
${Object.values(TRADES).join("")}
`
  .split("\n")
  .filter((line) => line !== "")
  .map(lineOf);
