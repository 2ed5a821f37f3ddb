/** Lines of trades, written as rows of a table are. */
export const TRADES: Readonly<Record<string, string>> = {
  "git and its hosts": String.raw`
git diff --name-only --diff-filter=ACMR HEAD~1 | grep '\.py$' | xargs black
git log --oneline --grep='rm -rf'
git log -S 'git push --force' --oneline
git log --pretty=format:'%h %an %s' --since='1 week ago'
git log -1 --format=%cd --date=short
git log main..HEAD --oneline | cat
git log --all -- path/to/deleted.txt
git show HEAD~3:src/app.py > /tmp/app.old.py
git blame -w -C src/lib.rs | head -40
git add -A && git commit -m "Remove dead code" && git push
git add -u && git status
git add src/ tests/ && git commit -m "feat(auth): add OAuth2 login"
git commit -m "Stop using git reset --hard in CI" -m "It dropped local changes; rm -rf build is enough."
git commit -m "fix: handle \$HOME and \ˋbackticks\ˋ in paths"
git commit -F - <<'EOM'⏎chore: clean up⏎⏎- rm -rf of stale folders⏎- no more git push --force⏎- drop database migrations⏎EOM
git commit -m "$(cat <<'EOM'⏎Refactor the cleaner⏎⏎It used to run ˋrm -rf /ˋ when $DIR was empty.⏎It's fixed now (see #12).⏎EOM⏎)"
git commit -m "$(cat <<EOM⏎Release $\{VERSION}⏎⏎Don't run git clean -fdx before it.⏎EOM⏎)"
git commit --amend -m 'docs: "shutdown" and "reboot"'
git commit --amend --no-edit --reset-author
git commit -S -s -m "signed"
git commit --fixup=HEAD~2 && git rebase -i --autosquash HEAD~4
git -c commit.gpgsign=false commit -m x
git checkout -b feat/rm-old-api
git checkout -b hotfix/1.2.1 v1.2.0
git checkout -B feature origin/feature
git checkout develop && git pull --ff-only
git checkout main && git merge --no-ff feature/login
git checkout $(git describe --tags --abbrev=0)
git checkout --ours yarn.lock && git add yarn.lock
git switch main && git pull
git restore --staged src/app.ts tests/
git restore --staged -- .
git reset --soft HEAD~3
git reset --soft $(git merge-base HEAD main) && git commit -m "squash"
git reset HEAD~
git reset -- src/app.ts
git reset -q
git rm --cached -r node_modules
git rm old.py
git rm -r docs/legacy
git stash push -u -m "wip before pulling"
git stash && git checkout main && git stash pop
git stash branch recovered stash@{1}
git branch --merged | grep -v '\*\|main' | xargs -n 1 git branch -d
git branch -vv | grep ': gone]'
git branch -m master main
git branch --sort=-committerdate | head
git branch -f-list 2>/dev/null || git branch
git fetch --tags --force
git pull --rebase origin main
git pull origin main --no-edit
GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash main
git rebase --onto main feature-a feature-b
git rebase --abort || true
git revert -m 1 abc1234
git bisect start && git bisect bad && git bisect good v1.0.0
git bisect run sh -c 'make && ./test'
git worktree add ../proj-hotfix -b hotfix
git push -u origin feat/rm-old-api
git push --force-with-lease origin HEAD
git push --force-with-lease=main:abc123 origin main
git push -o merge_request.create origin HEAD
git push --set-upstream origin "$(git rev-parse --abbrev-ref HEAD)"
git push origin --delete feature/merged
git tag -a "v$(jq -r .version package.json)" -m "release"
git tag -l 'v1.*' --sort=-v:refname | head -1
git clean -n -d
git clean -nfdx
git clean -nd | grep -v node_modules
git remote -v && git remote show origin
git remote set-url origin git@github.com:me/repo.git
git config --global user.name "Ann"
git config --global alias.lg "log --oneline --graph"
git submodule update --init --recursive --depth 1
git submodule add https://github.com/x/y vendor/y
git submodule foreach 'git fetch && git status -s'
git lfs install && git lfs pull
git ls-files '*.ts' | xargs wc -l | tail -1
git ls-tree -r HEAD --name-only | grep test
git grep -nE 'rm -rf|shutil.rmtree' -- '*.py'
git rev-parse HEAD | cut -c1-8
git diff | tee /tmp/changes.patch
git diff --no-index a.txt b.txt || true
git apply --check fix.patch && git apply fix.patch
git format-patch main --stdout > feature.patch
git am < feature.patch
git archive HEAD | tar -x -C /tmp/export
git clone --depth=1 --branch v2 https://github.com/x/y.git vendor/y
git clone git@github.com:org/repo.git && cd repo && npm ci
git init && git add . && git commit -m "Initial commit"
git cat-file -p HEAD^{tree}
git update-index --chmod=+x scripts/run.sh
git bundle create repo.bundle --all
git -C ../other pull --rebase
cd "$(git rev-parse --show-toplevel)" && git status
BRANCH=$(git branch --show-current) && git push -u origin "$BRANCH"
for b in $(git branch --format='%(refname:short)'); do git log -1 --format="%h $b" "$b"; done
git log --format='%H' -n 5 | while read -r c; do git show --stat "$c"; done
git diff --cached --quiet || git commit -m "update"
if [ -z "$(git status --porcelain)" ]; then echo clean; fi
[[ -n $(git status -s) ]] && echo dirty
git status --porcelain | awk '{print $2}'
test "$(git rev-parse HEAD)" = "$(git rev-parse origin/main)"
gh pr create --title "Remove rm -rf from scripts" --body "$(cat <<'EOB'⏎## Summary⏎- no ˋrm -rf /tmp/*ˋ any more⏎- uses ˋgit clean -nˋ⏎EOB⏎)"
gh pr list --state open --json number,title --jq '.[] | "\(.number) \(.title)"'
gh pr diff 12 | head -100
gh pr review 12 --approve -b "LGTM; git push --force was the problem"
gh pr comment 12 --body "please don't \ˋgit reset --hard\ˋ"
gh pr checks 12 --watch
gh run list --limit 5
gh run view 123 --log-failed
gh issue create -t "reboot loop" -b "Happens after shutdown -h now"
gh api repos/{owner}/{repo}/issues --paginate -q '.[].title'
gh api graphql -f query='query { viewer { login } }'
gh api -X POST repos/o/r/issues -f title=x
gh release view --json tagName -q .tagName
gh workflow run ci.yml -f env=staging
`,
  web: String.raw`
npm run test:unit -- --coverage --reporter=verbose
npm run clean && npm run build
npm run clean
npm view react versions --json | jq '.[-1]'
npm dedupe && npm prune
npm pkg set scripts.clean="rm -rf dist"
npm exec -- tsc --version
npm exec eslint -- --fix src
npm test 2>&1 | tail -50
npm ls react || true
CI=1 npm test -- --run
npx -y create-next-app@latest web --ts --eslint
npx prisma migrate dev --name init
npx prisma generate && npx prisma db seed
npx playwright install --with-deps chromium
npx playwright test --grep "login"
npx vite build --mode production
npx storybook build -o storybook-static
npx turbo run build --filter=web
npx nx affected -t test
npx rimraf dist coverage .turbo
npx serve -s build -l 5000
npx kill-port 3000
npx tsc -p tsconfig.json --noEmit --pretty false | head -20
pnpm i && pnpm run -r build
pnpm dlx degit user/repo my-app
pnpm --filter @x/web add zod
bun run build && bun test --coverage
node --version && npm --version
node -e 'console.log(require("./package.json").dependencies)'
node -e "const fs=require('fs');const p=JSON.parse(fs.readFileSync('package.json'));p.version='1.0.1';fs.writeFileSync('package.json',JSON.stringify(p,null,2))"
node -e "require('fs').unlinkSync('tmp.json')"
node -e "require('fs').rmSync('dist', {recursive: true, force: true})"
node -e "fetch('http://localhost:3000/health').then(r => console.log(r.status))"
node -e "setTimeout(() => process.exit(0), 1000)"
node --input-type=module -e "import fs from 'fs'; console.log(fs.readdirSync('.'))"
node -e "console.log(/a/.exec('banana'))"
node --test --test-name-pattern='rm -rf' test/*.test.js
node scripts/build.mjs --clean
node -p "new Date().toISOString()"
nvm install 20 && nvm use 20
. ~/.nvm/nvm.sh && nvm use
source ~/.nvm/nvm.sh; nvm use --lts; node -v
export NVM_DIR="$HOME/.nvm"; [ -s "$NVM_DIR/nvm.sh" ] && \. "$NVM_DIR/nvm.sh"; npm ci
eval "$(fnm env --use-on-cd)"
rm -rf node_modules/ package-lock.json && npm i
rm -rf node_modules && npm cache verify && npm install
rm -rf packages/*/node_modules packages/*/dist
rm -rf .next/cache
rm -rf "$(npm root)/.cache"
rm -f *.tgz && npm pack
rm -rf ./dist && mkdir dist && cp -r public/* dist/
lsof -ti :3000 | xargs kill -9
kill $(lsof -t -i:8080) 2>/dev/null || true
pkill -f 'node server.js' || true
cat package.json | python3 -c "import sys, json; print(json.load(sys.stdin)['version'])"
PORT=4000 NODE_ENV=test node dist/index.js & sleep 2; curl -s localhost:4000/health; kill %1
(npm run dev > /tmp/dev.log 2>&1 &) ; sleep 5; tail /tmp/dev.log
npm run dev & PID=$!; sleep 3; curl -sf localhost:3000; kill $PID
timeout 30 npm start || true
while ! curl -s localhost:3000 > /dev/null; do sleep 1; done; echo up
`,
  python: String.raw`
python3 -m venv venv && . venv/bin/activate && pip install -U pip wheel
source .venv/bin/activate && pytest -q
.venv/bin/python -m pytest tests/ -k "test_rm or test_delete" -x
python -m pytest --lf --tb=short 2>&1 | tail -40
python -m unittest discover -s tests
python -m black --check . && python -m isort --check .
python -m build && twine check dist/*
python -m timeit -s 'x=1' 'x+1'
python -m cProfile -s cumtime main.py | head -30
python manage.py makemigrations && python manage.py migrate
python manage.py shell -c "from app.models import User; print(User.objects.count())"
python -c "import torch; print(torch.cuda.is_available())"
python -c "import pandas as pd; print(pd.read_csv('a.csv').describe())"
python -c "import os; print(os.getcwd())"
python -c "import os; os.remove('tmp.txt')"
python -c "import os; os.makedirs('out', exist_ok=True)"
python -c "import subprocess; print(subprocess.run(['git','status'],capture_output=True,text=True).stdout)"
python -c "import re; print(re.compile('x').match('x'))"
python -c "print(eval('1+1'))"
python -c "exec(open('setup.py').read())"
python - <<'P'⏎import json⏎d = json.load(open('a.json'))⏎print(len(d))⏎P
python3 - <<P⏎import os, sys⏎for root, dirs, files in os.walk('src'):⏎    for f in files:⏎        print(os.path.join(root, f))⏎P
python3 << 'EOF2'⏎text = open('README.md').read()⏎text = text.replace('rm -rf /', 'rm -rf build')⏎open('README.md', 'w').write(text)⏎EOF2
cat script.py | python3 -
python3 -c "import urllib.request; print(urllib.request.urlopen('http://localhost:8000').status)"
python3 -c "import shutil; shutil.rmtree('build', ignore_errors=True)"
python3 -c "import tempfile; print(tempfile.mkdtemp())"
python3 -m http.server 8000 &
pip install --no-cache-dir -r requirements.txt
pip install 'django>=4,<5'
pip install --upgrade --force-reinstall .
pip list --outdated --format=json | jq -r '.[].name'
pip download -d wheels -r requirements.txt
pip uninstall -y -r <(pip freeze)
uv venv && uv pip sync requirements.txt
uv run python -c "print(1)"
uv run pytest -n auto
poetry add httpx && poetry lock --no-update
poetry run python -m app
conda create -n ml python=3.11 -y
conda env export > environment.yml
conda run -n ml python train.py
jupyter nbconvert --to script nb.ipynb
mypy --strict src | tee mypy.log
coverage run -m pytest && coverage html
find . -name '*.pyc' -delete && find . -name '__pycache__' -exec rm -rf {} +
find . -type d -name __pycache__ -prune -exec rm -r {} +
find . | grep -E '(__pycache__|\.pyc$)' | xargs rm -rf
rm -rf build dist *.egg-info
rm -rf .venv && python3 -m venv .venv
rm -rf .mypy_cache .pytest_cache htmlcov .coverage
rm -f db.sqlite3 && python manage.py migrate
celery -A app worker -l info
alembic revision --autogenerate -m "drop table users"
scrapy crawl spider -o out.json
dvc pull && dvc repro
sphinx-build -b html docs docs/_build
tox -e py39,py310 -- -x
export PYTHONPATH="$PWD/src:$PYTHONPATH" && python -m app
`,
  "other languages": String.raw`
cargo build --release && ./target/release/app --help
cargo test --workspace --all-features -- --test-threads=1
cargo run -- rm -rf /
cargo expand | less
cargo clean && cargo build
RUST_BACKTRACE=1 RUSTFLAGS="-D warnings" cargo test
rm -rf target
rm -rf target/ Cargo.lock
rustup default stable && rustup component add clippy
go build -o bin/app ./cmd/app && ./bin/app
go test -race -cover ./...
go test -v -run 'TestRemoveAll' ./pkg/fs
go mod init example.com/m && go mod tidy
go clean -modcache
go tool pprof -top cpu.prof
go run main.go -- rm -rf /
CGO_ENABLED=0 GOOS=linux go build -ldflags "-s -w -X main.version=$(git describe)" .
gofmt -l . | grep . && exit 1
mvn clean install -DskipTests
mvn -B -pl module-a -am test
mvn dependency:tree | grep log4j
./gradlew clean test --info
rm -rf ~/.m2/repository/com/example
rm -rf ~/.gradle/caches
rm -rf ~/.cache/pip
javac -d out $(find src -name '*.java')
jar tf app.jar | head
"$JAVA_HOME/bin/javac" Main.java
sbt clean compile
kotlinc a.kt -include-runtime -d a.jar
bundle exec rake db:migrate RAILS_ENV=test
ruby -e 'puts RUBY_VERSION'
ruby -ne 'print if /x/' f
php artisan tinker --execute="echo User::count();"
php -r 'echo PHP_VERSION;'
mix deps.get && mix test
swift build && swift test
xcodebuild -scheme App -destination 'platform=iOS Simulator' test
rm -rf ~/Library/Developer/Xcode/DerivedData
flutter pub get && flutter test
dotnet new webapi -o api
dotnet ef migrations add DropTable
dotnet clean && dotnet publish -c Release
cmake -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build -j$(nproc)
cmake --build build --target clean
rm -rf build && mkdir build && cd build && cmake .. && make
mkdir -p build && cd build && rm -rf ./* && cmake ..
make -C src clean all
make distclean || true
make -j"$(nproc)" V=1 2>&1 | tee build.log
make test ARGS="-R rm"
gcc -O2 -Wall -o a a.c && ./a
g++ -std=c++20 -fsanitize=address *.cpp -o test && ./test
clang-format -i src/*.cpp
gdb -batch -ex run -ex bt --args ./a x
strace -e trace=file ls 2>&1 | grep open
objdump -d a.out | head
meson setup build && ninja -C build
bazel build //... && bazel test //...
bazel clean
rm -f *.o *.so core.*
rm -rf CMakeFiles CMakeCache.txt
Rscript -e 'install.packages("dplyr")'
julia -e 'using Pkg; Pkg.add("CSV")'
`,
  operations: String.raw`
docker build -t app:dev -f docker/Dockerfile .
docker build --no-cache --build-arg V="$(git rev-parse HEAD)" -t app .
docker run --rm app:dev pytest
docker run --rm -v "$(pwd)":/w -w /w node:20 sh -c "npm ci && npm test"
docker run --rm -it --entrypoint bash app
docker run -d -p 6379:6379 --name redis redis:7
docker exec -i db psql -U app < schema.sql
docker exec web sh -c 'rm -rf /app/tmp/cache/*'
docker exec web bash -c "cd /app && bundle exec rails c"
docker stop web && docker rm web
docker rm -f $(docker ps -aq)
docker rmi $(docker images -f dangling=true -q)
docker images -q --filter dangling=true | xargs docker rmi
docker logs --tail 100 -f web 2>&1 | grep ERROR
docker compose up -d && docker compose logs -f web
docker compose down --remove-orphans
docker compose run --rm web rails test
docker compose exec db pg_dump -U app app > dump.sql
docker-compose -f docker-compose.test.yml up --exit-code-from test
docker buildx build --platform linux/amd64,linux/arm64 -t x --push .
docker push ghcr.io/o/app:$TAG
docker login -u u --password-stdin < token.txt
docker save app | gzip > app.tar.gz
docker inspect -f '{{.State.Health.Status}}' web
podman build -t x .
kubectl get pods -A -o wide | grep -v Running
kubectl get deploy web -o yaml | yq .spec
kubectl apply -f k8s/ --dry-run=client
kubectl delete -f k8s/job.yaml
kubectl delete pod web-123 --grace-period=0
kubectl scale deploy web --replicas=3
kubectl set image deploy/web web=app:v2
kubectl exec -it deploy/web -- bash
kubectl exec web-0 -- ls -la /data
kubectl exec web-0 -- sh -c 'rm -rf /tmp/cache/*'
kubectl logs -l app=web --tail=50
kubectl run tmp --rm -it --image=busybox -- sh
kubectl get secret db -o jsonpath='{.data.password}' | base64 -d
kubectl create ns test --dry-run=client -o yaml | kubectl apply -f -
kustomize build . | kubectl apply -f -
helm template . | kubectl diff -f -
helm upgrade --install app ./chart -f values.yaml --set image.tag=$TAG
terraform plan -var-file=prod.tfvars
terraform apply tfplan
terraform destroy -target=aws_instance.test
terraform state list
terraform workspace select staging
rm -rf .terraform .terraform.lock.hcl && terraform init
ansible-playbook -i inventory site.yml --check
ansible web -m shell -a 'uptime'
vagrant up && vagrant ssh -c 'ls'
aws s3 sync dist/ s3://bucket --delete
aws s3 ls s3://bucket/ --recursive | wc -l
aws ecs update-service --cluster c --service s --force-new-deployment
aws sts get-caller-identity --query Account --output text
aws logs tail /aws/lambda/f --since 1h
aws lambda invoke --function-name f out.json && cat out.json
eval $(aws ecr get-login --no-include-email)
aws ecr get-login-password | docker login --username AWS --password-stdin x
gcloud run deploy app --source .
gcloud compute ssh vm --command 'uptime'
az group list -o table
ssh prod 'systemctl status nginx'
ssh -i ~/.ssh/key user@host 'df -h && free -m'
ssh host "tail -n 100 /var/log/app.log" | grep ERROR
ssh host 'cd /srv/app && git pull --ff-only && npm ci && pm2 restart app'
ssh host bash -s < scripts/setup.sh
ssh host 'bash -s' <<'E1'⏎set -e⏎cd /srv/app⏎git pull⏎sudo systemctl restart app⏎E1
ssh -N -L 8080:localhost:80 host &
ssh-keygen -t ed25519 -f ~/.ssh/id_new -N ""
scp -r dist/* host:/var/www/html/
rsync -avz --exclude .git ./ host:/srv/app
rsync -az -e "ssh -p 2222" dist/ host:/srv/
rsync -avn --delete a/ b/
sftp host <<< 'get file'
sudo systemctl restart nginx && sudo systemctl status nginx --no-pager
sudo systemctl enable --now docker
sudo nginx -t && sudo nginx -s reload
sudo journalctl -u app -f
journalctl --since '1 hour ago' | grep -i reboot
last reboot | head
sudo apt-get update && sudo apt-get install -y --no-install-recommends curl jq
sudo apt-get autoremove -y && sudo apt-get clean
sudo rm -rf /var/lib/apt/lists/*
apt-get clean && rm -rf /var/lib/apt/lists/*
sudo dnf install -y gcc
apk add --no-cache git
brew cleanup
sudo chown -R $USER:$USER .
sudo chown -R www-data:www-data storage bootstrap/cache
sudo chmod -R 755 public
chmod -R g+w storage
chmod -R 755 .
chmod -R u=rwX,go=rX dist
chmod 600 ~/.ssh/config
chmod 700 ~/.ssh
chmod +x gradlew && ./gradlew build
chmod a+x bin/*
chmod 777 tmp
chown node:node package.json
sudo cp nginx.conf /etc/nginx/sites-available/app && sudo ln -s /etc/nginx/sites-available/app /etc/nginx/sites-enabled/
echo "127.0.0.1 app.local" | sudo tee -a /etc/hosts
echo 'export PATH=$PATH:~/bin' >> ~/.bashrc && source ~/.bashrc
sudo sed -i 's/80/8080/' /etc/nginx/nginx.conf
sudo sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
crontab -l | grep backup
(crontab -l 2>/dev/null; echo "0 5 * * * /srv/backup.sh") | crontab -
df -h / && du -sh /var/* 2>/dev/null | sort -h | tail
ps aux --sort=-%mem | head
top -b -n1 | head -20
netstat -tlnp || ss -tlnp
openssl s_client -connect x:443 </dev/null 2>/dev/null | openssl x509 -noout -dates
openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 365 -subj /CN=x
certbot certonly --dry-run -d x
mount | grep nfs
lsblk -f && blkid
free -h; uptime; who
dmesg | tail
sudo -u postgres psql -c "CREATE DATABASE app"
sudo -u www-data php artisan cache:clear
kill -HUP $(cat /var/run/app.pid)
kill -USR1 1234
kill -0 $PID 2>/dev/null && echo alive
pkill -HUP nginx
killall -q node || true
pgrep -fl node | awk '{print $1}' | xargs -r kill
wait $!
tmux new-session -d -s dev 'npm run dev'
tmux send-keys -t dev C-c
at now + 1 hour <<< 'echo hi'
`,
  "data and texts": String.raw`
psql -h localhost -U app -d app -c "SELECT count(*) FROM users WHERE deleted_at IS NULL"
psql "$DATABASE_URL" -c '\dt'
psql app < dump.sql
psql -f migrations/001_drop_table.sql app_test
PGPASSWORD=x psql -h db -U u -tAc "select 1"
dropdb --if-exists test_db && createdb test_db
pg_dump app | gzip > backup.sql.gz
pg_restore --clean -d app dump.bin
mysql -uroot -proot -e "DROP DATABASE IF EXISTS test; CREATE DATABASE test"
sqlite3 app.db 'DELETE FROM sessions'
sqlite3 app.db <<'S'⏎.mode csv⏎select * from t;⏎S
sqlite3 -header -csv a.db "select * from x" > x.csv
mongosh --eval 'db.users.countDocuments()'
redis-cli --scan --pattern 'cache:*' | xargs redis-cli del
duckdb -c "select * from 'a.parquet' limit 5"
bq query --use_legacy_sql=false 'select 1'
jq -r '.[] | select(.age > 30) | .name' people.json
jq '.version = "2.0.0"' package.json > tmp.json && mv tmp.json package.json
curl -s https://api.x/v1/users | jq '.[0]'
curl -s https://api.x | jq -r '.data[].id' | xargs -I{} curl -s https://api.x/{}
curl -sSfL https://x/y.tgz | tar xz
curl -L https://x/y.tar.gz | tar -xzf - -C /tmp
curl -sL https://x/a.csv | head -5
curl -s https://x | python3 -c "import sys,json; print(json.load(sys.stdin)['x'])"
curl -s https://x | node -e "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>console.log(JSON.parse(s).x))"
curl -s https://x | ruby -rjson -e 'puts JSON.parse(STDIN.read)["x"]'
curl -s https://x | perl -pe 's/a/b/'
curl -s https://x | grep -o 'href="[^"]*"' | sort -u
curl -s https://x | wc -c
curl -s https://x > page.html && grep title page.html
curl -H "Authorization: Bearer $TOKEN" https://x
curl -w '%{http_code}' -o /dev/null -s https://x
curl --retry 3 -fL -o bin/tool https://x/tool && chmod +x bin/tool
curl -fsSL https://x/install.sh -o install.sh
wget -r -np -nH https://x/data/
wget -O data.zip https://x/d.zip && unzip -q data.zip -d data && rm data.zip
csvcut -c 1,2 a.csv | csvlook | head
awk -F'\t' 'NR>1 {s+=$3} END {print s/NR}' d.tsv
awk '/BEGIN/,/END/' f
awk '{ if ($1 > 10) print $2 > "out.txt" }' f
awk '!seen[$0]++' f > g
awk 'BEGIN { while (("date" | getline d) > 0) print d }'
sed -i.bak 's/old/new/g' *.md && rm *.bak
sed -i '' 's/foo/bar/' f
sed -n '/start/,/end/p' f
sed -e 's/rm -rf/echo/' -e '/shutdown/d' script.sh
sed '/^$/d;s/#.*//' conf
perl -i -pe 's/foo/bar/g' $(git ls-files '*.md')
perl -0777 -ne 'print $1 if /x(.*)y/s' f
perl -lane 'print $F[0]' f
grep -rn "rm -rf" --include='*.sh' .
grep -rlZ 'TODO' src | xargs -0 sed -i 's/TODO/DONE/'
grep -v '^#' f | sort | uniq -c | sort -rn | head
grep -q 'dd if=' script.sh && echo found
rg -n 'mkfs|shutdown' -g '*.md'
rg --files | rg test | xargs wc -l
ag 'git push -f'
sort -k2,2n f | join - g
tr '[:upper:]' '[:lower:]' < f
split -l 1000 big.csv part_
comm -13 <(sort a) <(sort b)
diff <(jq -S . a.json) <(jq -S . b.json)
xargs -0 grep -l TODO < files0
find . -type f -print0 | xargs -0 grep -n 'rm -rf'
find . -name '*.log' -mtime +7 -exec gzip {} \;
find . -name '*.sh' -exec chmod +x {} \;
find . -type f -exec chmod 644 {} + -o -type d -exec chmod 755 {} +
find . -maxdepth 2 -name package.json -not -path '*/node_modules/*'
find src -name '*.js' -exec sed -i 's/var /let /' {} +
find . -name '*.jpg' -exec sh -c 'convert "$1" "$\{1%.jpg}.png"' _ {} \;
find . -name '*.md' | while read f; do echo "$f"; wc -l "$f"; done
find . -size +10M -exec ls -lh {} \;
find /tmp -name 'pytest-*' -mtime +3 -exec rm -rf {} +
find . -name '*.tmp' -type f -delete
find . -name '*.orig' -o -name '*.rej' | xargs rm -f
find . -name dist -type d -prune -exec rm -rf {} \;
find . -type l ! -exec test -e {} \; -print
find build -name '*.o' -delete
find logs -name '*.log' -mtime +14 -delete
find . -empty -type d -delete
find . -name '*.class' -print -delete
fd -e md -x wc -l
fd node_modules -t d --max-depth 2
tar czf /tmp/backup-$(date +%F).tgz --exclude=node_modules .
tar -xf a.tar.xz --strip-components=1 -C vendor
tar -cf - . | ssh host 'tar -xf - -C /srv/x'
tar tzf a.tgz | head
zip -qr out.zip . -x '*.git*'
ffmpeg -y -i a.mov -c:v libx264 b.mp4
convert a.png -resize 50% b.png
latexmk -pdf paper.tex && latexmk -c
`,
  shell: String.raw`
echo "# Notes" >> README.md
echo "Never run rm -rf / or git push --force" >> CONTRIBUTING.md
printf 'node_modules\ndist\n' >> .gitignore
cat >> .env <<'E1'⏎A=1⏎B=$(rm -rf /)⏎E1
cat > scripts/clean.sh <<'E1'⏎#!/usr/bin/env bash⏎set -euo pipefail⏎rm -rf "$1"⏎E1
cat <<'E1' > Dockerfile⏎FROM node:20⏎RUN apt-get update && rm -rf /var/lib/apt/lists/*⏎E1
cat > /tmp/test.py << 'E1'⏎import os⏎os.system("rm -rf /")⏎E1
tee config.yml > /dev/null <<E1⏎name: $NAME⏎E1
cat > a.sh <<'E1' && chmod +x a.sh && ./a.sh⏎echo hi⏎E1
cat << 'E1' | tee notes.txt⏎shutdown -h now⏎E1
cat << 'E1' | python3⏎print("hi")⏎E1
set -euo pipefail⏎cd "$(dirname "$0")"⏎npm ci⏎npm run build⏎rm -rf dist.old⏎mv dist dist.old
set -e⏎for f in src/*.ts; do⏎  echo "checking $f"⏎  npx tsc --noEmit "$f"⏎done
#!/bin/bash⏎set -euo pipefail⏎trap 'echo failed' ERR⏎tmp=$(mktemp -d)⏎trap 'rm -rf "$tmp"' EXIT⏎curl -fsSL https://x/a.tgz | tar xz -C "$tmp"⏎cp "$tmp"/bin/* ./bin/
tmp="$(mktemp -d)"; cd "$tmp"; git clone -q https://x/y .; make; cd -; rm -rf "$tmp"
tmpdir=$(mktemp -d -t proj-XXXX); trap "rm -rf $tmpdir" EXIT; cp -r . "$tmpdir"
TMP=$(mktemp); jq '.a=1' x.json > "$TMP" && mv "$TMP" x.json
WORK=$(mktemp -d /tmp/work.XXXXXX) && cd "$WORK" && npm init -y && rm -rf "$WORK/node_modules"
d=$(mktemp -d); cleanup() { rm -rf "$d"; }; trap cleanup EXIT; npm pack --pack-destination "$d"
T=$(mktemp -d)⏎(cd $T && git init -q && git commit --allow-empty -m x)⏎rm -rf $T
rm -rf /tmp/orcs-* /tmp/foo.txt
rm -rf /tmp/test_repo && mkdir /tmp/test_repo && cd /tmp/test_repo && git init
cd /tmp && rm -rf repro && mkdir repro && cd repro && npm init -y
cd /tmp/x && git reset && git status
rm -rf ./tmp/* && mkdir -p tmp
rm -rf logs/*.log
rm -rf coverage/ .nyc_output/
rm -rf src/components/Old src/components/Old.test.tsx
rm -rf vendor/bundle
rm -rf public/build public/hot
rm -rf ios/build android/app/build
rm -rf __tests__/__snapshots__
rm -r docs/_build
rm -rf "My Folder"
rm -rf apps/web/.next && pnpm --filter web build
rm -f test.db test.db-shm test.db-wal
rm -f nohup.out
rm -i old.txt
rm README.old.md
rm -- -weird-file
rm -rf -- -weird-dir
rmdir empty 2>/dev/null || true
[ -d dist ] && rm -r dist
[[ -e out ]] && rm -rf out; mkdir out
test -f x.lock && rm x.lock
if [ -f "$f" ]; then rm "$f"; fi
for f in *.bak; do rm "$f"; done
for f in a b c; do rm -f "$f.log"; done
for i in {1..5}; do echo $i; done
for ((i=0;i<10;i++)); do echo "$i"; done
for d in */; do (cd "$d" && git pull --ff-only); done
for d in services/*/; do (cd "$d"; npm ci; npm test) || exit 1; done
for pkg in $(jq -r '.workspaces[]' package.json); do echo "$pkg"; done
for f in $(find . -name '*.ts' -newer a); do echo $f; done
for v in 18 20 22; do docker run --rm -v "$PWD":/w -w /w node:$v npm test; done
while IFS=, read -r a b; do echo "$a: $b"; done < data.csv
while sleep 5; do date; done
until pg_isready -h localhost; do sleep 1; done
i=0; while [ $i -lt 5 ]; do i=$((i+1)); done
case "$OSTYPE" in darwin*) brew install x;; linux*) sudo apt install x;; esac
log() { echo "[$(date +%T)] $*"; }; log start; npm test; log end
run() { echo "+ $*"; "$@"; }; run npm test
die() { echo "$*" >&2; exit 1; }; command -v jq >/dev/null || die "need jq"
main() { local x=1; echo $x; }; main "$@"
retry() { for i in 1 2 3; do "$@" && return; sleep 1; done; return 1; }; retry curl -sf localhost
export FOO=bar BAZ=qux; printenv FOO
declare -A m=([a]=1 [b]=2); for k in "$\{!m[@]}"; do echo "$k=$\{m[$k]}"; done
arr=(one two); echo "$\{#arr[@]} $\{arr[0]}"
x=$\{FOO:-default}; echo "$\{x^^}"
echo "$\{PATH//:/$'\n'}"
echo $((2**10))
read -r -p "Name: " name && echo "hi $name"
printf '%s\n' a b c | nl
yes | head -5
seq 1 10 | paste -sd+ | bc
echo "scale=2; 10/3" | bc -l
date -d '2 days ago' +%F
ls -lt | head; ls -d .*/
wc -l < f
head -1 f; tail -n +2 f
mv a b && mv *.png img/
mv ~/Downloads/x.pdf docs/
mv build/* .
mv src/* lib/
mkdir -p a/b/c && touch a/b/c/d
basename "$PWD"; dirname "$0"
tee -a log.txt < x
exec > >(tee build.log) 2>&1
exec 3>&1
command -v python3 || which python
history | grep docker
pushd packages/web && npm test && popd
source .env && echo "$DB_HOST"
set -a && . ./.env && set +a && npm start
env $(cat .env | xargs) npm start
env -i HOME=$HOME PATH=$PATH bash -lc 'npm test'
export $(cat .env | grep -v '#' | xargs)
bash -n script.sh && shellcheck script.sh
bash -c 'echo "$0 $@"' a b c
bash -c "source venv/bin/activate && python -m pytest"
sh -c 'cd web && npm run build'
zsh -c 'source ~/.zshrc && node -v'
eval "$(rbenv init - bash)"
eval "$(ssh-agent -s)" && ssh-add ~/.ssh/id_ed25519
eval "$(zoxide init zsh)"
eval "$(conda shell.bash hook)" && conda activate x
eval $(opam env)
eval ˋssh-agentˋ
time (npm run build && npm test)
nohup python train.py > train.log 2>&1 & echo $!
nice -n 19 make -j8
watch -n 5 'kubectl get pods | grep web'
parallel -j 4 gzip ::: *.log
parallel --bar 'convert {} {.}.png' ::: *.jpg
cat urls.txt | xargs -P 4 -n 1 curl -sO
cat urls.txt | parallel -j 8 curl -sO
ls *.csv | xargs -I{} python load.py {}
ls | xargs -n 1 -I {} mv {} {}.bak
cat files.txt | xargs rm -f
cat files.txt | xargs rm
ls *.tmp | xargs rm
ls -t *.log | tail -n +6 | xargs rm -f --
grep -rl 'old' src | xargs rm
printenv | sort | grep -i node
vim -c 'set nu' a.txt
vim +'%s/a/b/g' +wq a.txt
cowsay "sudo shutdown now"
say "reboot"
echo shutdown; echo reboot
echo ":(){ :|:& };:"
echo 'curl https://x | sh'
echo "run: curl -fsSL https://x | bash" >> README.md
printf "%s\n" "dd if=/dev/zero of=/dev/sda" > warning.txt
dd if=/dev/zero of=swapfile bs=1M count=1024
dd if=/dev/urandom bs=1 count=16 2>/dev/null | xxd -p
head -c 32 /dev/urandom | base64
mkfs.ext4 -F disk.img
mkswap swapfile
osascript -e 'display notification "done"'
notify-send "Build done"
pbcopy < key.pub
xclip -sel c < f
ollama run llama3 "what does rm -rf / do?"
claude -p "explain git reset --hard"
cloc . --exclude-dir=node_modules
hyperfine 'node a.js' 'node b.js'
protoc --go_out=. *.proto
swagger-codegen generate -i api.yml -l go
openapi-generator-cli generate -i a.yml -g go -o out
mkdocs serve
gatsby clean
adb devices && adb logcat -d | tail
adb shell rm /sdcard/x.png
adb shell pm clear com.x
python -m venv .venv; .venv/Scripts/activate
`,
};
