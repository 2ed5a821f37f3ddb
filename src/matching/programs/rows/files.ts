/** Programs that create, copy, move, remove and change files: see `notation.ts`. */
export const FILE_PROGRAMS = `
rm grm | -r,-R,--recursive:recursive -f,--force:force -i -I --interactive=? -d,--dir -v,--verbose
  --no-preserve-root:root --preserve-root=? --one-file-system | removes...
rmdir grmdir | -p,--parents -v,--verbose --ignore-fail-on-non-empty | removes... | fn=rmdir
unlink | | removes
shx | | subcommand
shx/rm | -r,-R,--recursive:recursive -f,--force | removes...
rimraf | -g,--glob -v,--verbose | removes... | fn=tree
trash trash-put | -d,--directory -f,--force -i -r,-R,--recursive -v,--verbose -g,--glob | removes...
shred gshred | -n,--iterations= -s,--size= -u --remove=? -f,--force -v,--verbose -x,--exact -z,--zero
  --random-source=reads | removes...
cp gcp | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -r,-R,--recursive:recursive
  -a,--archive:recursive -f,--force -i,--interactive -n,--no-clobber -p --preserve=? --no-preserve= --parents:whole
  -v,--verbose -u --update=? -l,--link -s,--symbolic-link -L,--dereference -P,--no-dereference -d -x,--one-file-system
  --backup=? -b --sparse= --reflink=? --strip-trailing-slashes --context=? | named: reads... ; reads... into | fn=copy
mv gmv | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -f,--force -i,--interactive
  -n,--no-clobber --no-copy -v,--verbose -u --update=? -b --backup=? --strip-trailing-slashes --context | named:
  moves... ; moves... into | fn=copy
ln gln | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -s,--symbolic:symbolic
  -f,--force -i,--interactive -n,--no-dereference -r,--relative -v,--verbose -b --backup=? -L,--logical -P,--physical
  -d,--directory | named: links... ; links... into | fn=copy
link | | links into | fn=copy
install ginstall | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -d,--directory:makes
  -m,--mode= -o,--owner= -g,--group= -D -s,--strip --strip-program= -v,--verbose -b --backup=? -C,--compare
  -p,--preserve-timestamps --context=? | makes: makes... ; named: reads... ; reads... into | fn=copy
ditto | -V -X --arch= | reads... into | fn=copy
mmv | -m -x -r -c -o -a -l -s -h -d -p -g -t -v -n | 1: reads ; reads... writes
touch gtouch | -d,--date= -t= -r,--reference=names -a -m -c,--no-create -h,--no-dereference --time= | writes...
mkdir gmkdir | -m,--mode= -p,--parents -v,--verbose -Z --context=? | makes...
mkfifo | -m,--mode= -Z --context=? | writes...
mknod | -m,--mode= -Z --context=? | writes text...
truncate gtruncate | -s,--size= -r,--reference=names -c,--no-create -o,--io-blocks | writes...
fallocate | -l,--length= -o,--offset= -c -d -i -n -p -v,--verbose -x -z | writes...
tee gtee | -a,--append -i,--ignore-interrupts -p --output-error=? | writes...
sponge | -a | writes...
dd gdd | | text... | fn=dd
split gsplit | -a,--suffix-length= --additional-suffix=:suffix -b,--bytes= -C,--line-bytes= -l,--lines= -n,--number=
  -t,--separator= --filter=line -d --numeric-suffixes=? -x --hex-suffixes=? -e -u --verbose | reads? text? | fn=split
csplit gcsplit | -f,--prefix=:prefix -b,--suffix-format= -n,--digits= -k,--keep-files -s,--quiet,--silent -z | reads
  text... | fn=split
mktemp gmktemp | -p,--tmpdir=text:folder -d,--directory -u,--dry-run:dry -q,--quiet --suffix= -t:temporary | dry:
  text... ; temporary: text... ; writes? | fn=mktemp
patch | -p,--strip= -i,--input=reads -o,--output=writes -d,--directory=cd -D,--ifdef= -r,--reject-file=writes
  -B,--prefix= -z,--suffix= -F,--fuzz= -V,--version-control= -Y,--basename-prefix= --dry-run:dry -R,--reverse
  -N,--forward -b,--backup -c,--context -e --merge=? -f,--force -t,--batch -s,--quiet,--silent -u,--unified -E -n -l
  --verbose | dry: reads... ; edits? reads? | lang=patch tree
apply_patch applypatch | | code... | lang=patch
rename | -n,--no-act,--nono:dry -f,--force -v,--verbose -s -e= -E= --all --no-overwrite | dry: text... ; text edits...
rename.ul | -n,--no-act:dry -s -v,--verbose -o,--no-overwrite -i | dry: text... ; text text edits...
chmod gchmod | -R,--recursive:recursive -v,--verbose -c,--changes -f,--silent,--quiet --reference=names:reference
  --preserve-root --no-preserve-root --from= | reference: attributes... ; text attributes... | fn=modes
chown chgrp gchown gchgrp | -R,--recursive:recursive -v,--verbose -c,--changes -f,--silent,--quiet
  --reference=names:reference --from= -h,--no-dereference --dereference -H -L -P --preserve-root --no-preserve-root |
  reference: attributes... ; text attributes...
setcap | -q -v:dry -n= -r | dry: text... ; text attributes...
chattr | -R:recursive -V -f -v= -p= | text attributes... | fn=modes
setfacl | -m,--modify= -M,--modify-file=reads -x,--remove= -X,--remove-file=reads --set= --set-file=reads
  -b,--remove-all -k,--remove-default -n --mask -d,--default -R,--recursive:recursive -L -P --restore=reads --test:dry
  --recalculate-mask | dry: names... ; attributes...
gio | | subcommand
gio/trash gio/remove | -f,--force --empty --list | removes...
gio/mkdir gio/save | -p,--parent | writes...
gio/move | -T -p -i -b -C | moves... into | fn=copy
gio/rename | | moves writes
gio/copy | -T -p -i -b -P | reads... into | fn=copy
find gfind bfs | | names... | fn=find
dos2unix unix2dos mac2unix unix2mac | -k,--keepdate -q,--quiet -c,--convmode= -n,--newfile:new -o,--oldfile -i=? |
  new: reads writes ; edits...
script | -c,--command=line -t=?writes -T,--log-timing=writes -I,--log-in=writes -O,--log-out=writes -B,--log-io=writes
  -a,--append -f,--flush --force -q,--quiet -e,--return | writes? program...
`;
