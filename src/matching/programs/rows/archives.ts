/** Programs that pack, unpack and compress. */
export const ARCHIVE_PROGRAMS = `
tar gtar bsdtar | %bundled %globs -f,--file=:file -C,--directory=:folder --one-top-level=?:top
  -x,--extract,--get:extract -c,--create:create -t,--list:list -d,--diff,--compare:list -r,--append -u,--update
  -A,--catenate,--concatenate --delete --remove-files:remove -O,--to-stdout:stdout -X,--exclude-from=names:chosen
  --exclude=omits -T,--files-from=list -I,--use-compress-program=line --to-command=line
  -F,--info-script,--new-volume-script=line --rsh-command=line -g,--listed-incremental=writes --index-file=writes
  -H,--format= -b,--blocking-factor= --transform,--xform= --strip-components= --owner= --group= --owner-map=reads
  --group-map=reads --mode= --mtime= -N,--newer= -K,--starting-file= -L,--tape-length= -V,--label= --suffix= --sort=
  --checkpoint=? --checkpoint-action= --exclude-ignore=:chosen --exclude-ignore-recursive= --exclude-tag=
  --exclude-tag-all= --exclude-tag-under= --exclude-backups --exclude-caches --exclude-caches-all
  --exclude-caches-under --exclude-vcs --exclude-vcs-ignores:chosen --force-local --confirmation
  --delay-directory-restore --null --one-file-system --overwrite --overwrite-dir --touch | packs... | fn=tar
unzip | -d=below:into -x= -P= -p,-c:shown -l,-t,-Z,-v,-z:shows | shown: reads guess... ; shows: reads text... ; into:
  reads text... ; .below reads text... | fn=unpack
zip | %globs -x,--exclude=omits -i,--include=only -b= -P,--password= -n= -t= -tt= -O,--out=writes
  -r,--recurse-paths:recursive -R,--recurse-patterns -m,--move:move -TT,--unzip-command=line -u -f -d -q -j -y
  -@:listed -T | move: writes moves... ; recursive: writes packs... ; writes reads...
7z 7za 7zz 7zr | | subcommand
7z/a 7z/u 7z/d 7z/rn | %globs -o=?below -w=? -m=? -p=? -t=? -x=? -i=? -v=? -s=? | edits packs... | fn=moved
7z/x 7z/e | -o=?below:into -w=? -m=? -p=? -t=? -x=? -i=? -y -a=? -s=? | into: reads text... ; .below reads text...
unrar rar | | subcommand
unrar/x unrar/e | -o -p=? -x=? -y | 1: .below reads ; reads text... below
cpio gcpio | -D,--directory=cd -F,--file=reads -O=writes -I=reads -E,--pattern-file=reads -H,--format= -R,--owner=
  -C,--io-size= -M,--message= -W= -i,--extract:extract -o,--create:listed -p,--pass-through:pass -A,--append
  -t,--list:list --rsh-command=line --force-local --null --quiet --to-stdout:list --link --verbose | list: text... ;
  pass: below ; extract: .below text...
ar gar | %bundled -r,-d,-q,-m,-s:change -x:extract -t,-p:shows | change: writes packs... ; extract: .below reads
  text... ; reads text...
gzip gunzip ggzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma pigz pbzip2 | -S,--suffix= -o=writes:output -b= -B=
  -T,--threads= -D=reads -c,--stdout,--to-stdout:shows -t,--test:shows -l,--list:shows
  -d,--decompress,--uncompress:unpack -k,--keep:keep -f,--force --check= --format= --name --quiet --recursive
  --files=?list --files0=?list --verbose | shows: reads... ; output: reads... ; reads... | fn=compress
lz4 | -D=reads -c:shows -d -z -f -k -m | reads? writes?
brotli | -o,--output=writes -q,--quality= -w,--lgwin= -D,--dictionary=reads -c,--stdout:shows -d,--decompress:unpack
  -j,--rm -k,--keep:keep -f,--force | reads...
pax | %globs -w,--write:listed -r -f=writes -x= -s= -o= -b= -d -v -X -z -j -a | packs...
borg | --rsh=line | packs...
duplicity croc wormhole magic-wormhole duplicati bup kopia | | packs...
restic | --password-command=line -r,--repo=packs -p,--password-file=packs | packs...
jar | %bundled -f,--file= -C= -e= -m= | guess...
unar | %single -o,-output-directory=below:into -p,-password= -e,-encoding= | into: reads text... ; .below reads
  text...
cabextract | -d,--directory=below:into -F,--filter= -l,--list,-t,--test,-p,--pipe:shows | shows: reads... ; into:
  reads... ; .below reads... | fn=unpack
asar | | subcommand
asar/extract asar/e | | reads below
asar/pack asar/p | | reads writes
zipfile tarfile | -e,--extract=reads:extract -c,--create=writes:create -l,--list=reads -t,--test=reads | extract+0:
  .below ; extract: below ; create: reads... ; text...
`;
