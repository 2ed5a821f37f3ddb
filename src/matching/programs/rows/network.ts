/** Programs that fetch, send and copy from and to other machines and stores. */
export const NETWORK_PROGRAMS = `
curl curlie | -o,--output=:output --output-dir=:folder -O,--remote-name,--remote-name-all:named
  -J,--remote-header-name:named -c,--cookie-jar=writes -D,--dump-header=writes --trace=writes --trace-ascii=writes
  --stderr=writes --etag-save=writes --etag-compare=reads --hsts=edits --alt-svc=edits --libcurl=writes
  -d,--data,--data-ascii,--data-binary,--data-urlencode,--json,--url-query=data --data-raw= -F,--form=data
  --form-string=
  --form-escape -T,--upload-file=sends -H,--header=data --proxy-header= -X,--request= --request-target= -u,--user=
  -U,--proxy-user= -A,--user-agent= -e,--referer= -b,--cookie=guess -m,--max-time= --retry= --retry-delay=
  --retry-max-time=
  --retry-all-errors --retry-connrefused -x,--proxy= -w,--write-out=data --url=url -K,--config=list --key=uses
  --key-type= -E,--cert=
  --cert-status --cert-type= --cacert=uses --capath=uses --connect-timeout= --connect-to= --resolve= -r,--range=
  --netrc-file=uses --proto= --proto-redir= --proto-default=
  --netrc --netrc-optional -n -z,--time-cond= -C,--continue-at= --limit-rate= --interface= -Q,--quote= -y= -Y= -P= -t=
  --max-filesize= --max-redirs= --trace-config= --trace-ids --trace-time --append --get -G --head -I --include -i
  --list-only -l --location -L --location-trusted --raw --remote-time -R --silent -s -S -f -k -v -N -g -a --verbose
  | url... | fn=fetch
wget wget2 | -O,--output-document=:output -P,--directory-prefix=:folder -o,--output-file=writes
  -a,--append-output=writes --save-cookies=writes --rejected-log=writes --warc-file=writes -U,--user-agent=
  --header= --post-data= --post-file=sends --body-data= --body-file=sends --method= -t,--tries= -T,--timeout=
  --connect-timeout= -i,--input-file=list -e,--execute= -Q,--quota= -w,--wait= --user= --password= --load-cookies=reads
  -A,--accept= -R,--reject= --reject-regex= -B,--base= -D= -l= --config=reads --ca-certificate=uses --ca-directory=
  --certificate=uses
  --certificate-type= --private-key=uses --private-key-type= --use-askpass=program --limit-rate= --referer=
  --warc-header= --warc-dedup=reads
  --warc-tempdir= --warc-max-size= --content-disposition --content-on-error --continue -c --convert-links -k
  --directories --ignore-case --ignore-length --ignore-tags= --mirror -m --quiet -q --recursive -r --save-headers
  --timestamping -N --use-server-timestamps --verbose -v -p -E -H -nc -nv -S --spider | url... | fn=fetch
aria2c | -o,--out=:output -d,--dir=:folder -l,--log=writes -i,--input-file=list --header= --save-session=writes
  --save-cookies=writes --load-cookies=reads -x,--max-connection-per-server= -s,--split= -j= -k= --dry-run --quiet -q
  --referer= --user-agent= -U | url... | fn=infolder
axel | -o,--output=below -n,--num-connections= -s,--max-speed= -H,--header= -U,--user-agent= -T,--timeout= -a
  -v,--verbose -q,--quiet
  -c,--no-clobber --no-proxy --search=? | url...
gdown | -O,--output=writes --id= --cache-dir= | url...
lwp-download | -a -s -b= | url writes?
http https xh xhs | -o,--output=writes -a,--auth= -A,--auth-type= -s,--style= -p,--print= --session=edits
  --session-read-only=reads
  --cert= --cert-key= --verify= --proxy= --timeout= --raw= --body --all --follow --form -f --headers --json -j
  --verbose -v
  -d,--download | guess... | fn=requests 
yt-dlp youtube-dl | -o,--output=writes -P,--paths=below -f,--format= -S,--format-sort= --output-na-placeholder=
  --cookies=edits -a,--batch-file=list --config-locations=reads --exec=line | url...
rsync | -e,--rsh=line %globs --exclude=omits --include= --exclude-from=uses --include-from=uses --files-from=list
  -f,--filter= --log-file=writes --backup-dir=writes --partial-dir=writes -T,--temp-dir=writes --write-batch=writes
  --only-write-batch=writes --read-batch=reads --port= --timeout= --chmod= --rsync-path=line --password-file=uses -B=
  -M= -r,--recursive:recursive -a,--archive:recursive -R,--relative:whole -n,--dry-run:dry
  --delete,--del,--delete-before,--delete-during,--delete-delay,--delete-after,--delete-excluded:delete
  --remove-source-files:move --compare-dest= --copy-dest= --link-dest= --suffix= --bwlimit= --max-size= --min-size=
  --chown= --usermap= --groupmap= --skip-compress= --iconv= --address= --sockopts= --contimeout= --max-delete=
  --modify-window= --compress-level= --log-file-format= --block-size= --remote-option= --info= --debug= --out-format=
  | 1: reads ; move: moves... into ; reads... into | fn=copy remote
scp | %globs -i=uses -F=reads -o= -P= -S=line -J= -l= -c= -D= -X= -r:recursive -p -q -v -C -3 -4 -6 -B -O -R -s -T |
  reads... into | fn=copy remote
sftp | %globs -i=uses -F=reads -o= -P= -S=line -J= -l= -c= -D= -X= -b=list -B= -R= | 1: url ; url writes | lang=words
aws gsutil gcloud s3cmd s5cmd mc rclone azcopy | %globs --profile= --region= --endpoint-url= --exclude= --include=
  --acl=
  --storage-class= --config= --filter= --query= --format= --output= --account= --transfers= --outfile=writes -h= -o=
  -c= --project= --zone= --body=sends
  -r,-R,--recursive:recursive | guess... | fn=stored
az | -f,--file=edits -d,--destination=below -n,--name= -c,--container-name= -s,--source=reads --query= -o,--output=
  -g,--resource-group= --account-name= --subscription= | guess...
kaggle | -p,--path=below -d,--dataset= -f,--file= -c,--competition= | text...
hf huggingface-cli | --local-dir=below --cache-dir= --include= --exclude= --revision= --repo-type= --token= | text...
cookiecutter | -o,--output-dir=below --checkout= --directory= --config-file=reads | text...
copier | | subcommand
copier/copy | -d,--data= -a,--answers-file= -r,--vcs-ref= -x,--exclude= -s,--skip= | url below | fn=clone
gh glab | -D,--dir=below -O,--output=writes -R,--repo= -p,--pattern= -n,--name= -t,--title= -b,--body=
  -F,--body-file,--input=guess --field=guess --jq,-q= --template= --notes= -S,--search= -l,--label= -H,--head=
  -B,--base= -m,--message= --description=
  -A,--archive= -u,--upstream-remote-name= | subcommand guess...
gh/repo glab/repo | | subcommand guess...
gh/repo/clone gh/gist/clone | -u,--upstream-remote-name= | url below? | fn=clone
gh/gist | | subcommand guess...
degit tiged | -f,--force -v,--verbose -c,--cache -m,--mode= | url below?
http.server | -d,--directory=:folder -b,--bind= -p,--protocol= --cgi | text? | fn=serve
serve http-server | -l= -p= -a= -c= -s -L -S -C -d= | cd? | fn=serve
nc ncat netcat nc.traditional nc.openbsd | -l,--listen:listens -p,--source-port= -e,--exec,-c,--sh-exec=program -w=
  -i= -q= -s= -X= -x= -k -n -u -v -z -N -d -4 -6 | text...
  | fn=netcat
socat | -d -u -U -v -x -t= -T= -lf=writes | text... | fn=socat
telnet | -l= -a -E -K | text... | fn=netcat
ftp | -p= -P= -u=url | guess... | lang=words
tftp | -g -p -b= -r=writes -l=writes -c -m= -v | host? guess...
lftp smbclient | -c,-e=code -u,-U= -p,-P= -I= -W= -f=script -A=reads | host? guess... | lang=words
gdb lldb | %single -ex,-iex,-o,-eval-command=code -x,-command=script -p,-pid= -c,-core=reads -s,-S= -batch | guess...
  | lang=words after=--args
ssh-keygen | -f=writes -t= -b= -N= -C= -P= -m= -O= -I= -n= -V= -z= -s= -D= -w= -a= -E= -r= -R=:known -F=:shown
  -l,-y,-B,-e:shown | text...
docker/cp docker/container/cp docker/compose/cp | -a,--archive:recursive -L,--follow-link -q,--quiet --index= | reads
  into | fn=copy remote
docker/save docker/image/save docker/export docker/container/export | -o,--output=writes --platform= | text...
kubectl/cp oc/cp oc/rsync | -c,--container= -n,--namespace= --retries= | reads into | fn=copy remote
svn/checkout svn/co svn/export | -r,--revision= --depth= --set-depth= -q,--quiet --force -N --username= --password= |
  url below? | fn=clone
svn/update svn/up svn/resolve svn/delete svn/del svn/remove svn/rm svn/mkdir svn/move svn/mv svn/rename svn/ren
  svn/upgrade
  | -r,--revision= --depth= --set-depth= -m,--message= -F,--file=reads -c,--change= --accept= --changelist=
  --targets=list
  -q,--quiet --force -R,--recursive --parents | writes...
svn/switch svn/sw svn/copy svn/cp | -r,--revision= --depth= --set-depth= -m,--message= -F,--file=reads --accept= |
  text writes...
hg/clone | -r,--rev= -b,--branch= -u,--updaterev= -e,--ssh= --config= -U -q,--quiet | url below? | fn=clone
hg/archive | -r,--rev= -t,--type= -p,--prefix= -I,--include= -X,--exclude= -S --no-decode | below
hg/init | -e,--ssh= --config= --remotecmd= | below?
hg/commit hg/export hg/bundle hg/cat | -r,--rev= -o,--output=writes -b,--branch= --base= -d,--date= -t,--type=
  -m,--message= --dest= | text...
bzr brz | | subcommand
bzr/branch bzr/checkout | -r,--revision= --stacked --standalone --lightweight --hardlink | url below? | fn=clone
fossil | | subcommand
fossil/clone | -A,--admin-user= -B= --ssh-command=program --save-http-password --unversioned -u -v | url writes
`;
