/** Programs that convert what they read: images, sound, encodings, keys. */
export const MEDIA_PROGRAMS = `
ffmpeg | %single -i=reads:input -f= -c= -vf= -af= -filter_complex= -map= -ss= -to= -t= -r= -s= -crf= -preset= -vcodec=
  -acodec= -codec= -pix_fmt= -ar= -ac= -loglevel= -vframes= -passlogfile=writes -report -movflags= | input+1: writes ;
  1: text ; text... writes
convert magick | %single | 1: reads ; reads... writes
base64 | -o,--output=writes -i,--input=reads -b,--break= -w,--wrap= -d,-D,--decode | reads?
iconv | -o,--output=writes -f,--from-code= -t,--to-code= -l,--list -c -s,--silent --verbose | reads...
xxd | %single -c,-cols= -g,-groupsize= -l,-len= -n,-name= -o= -s,-seek= -R= -r,-revert -p,-ps,-postscript,-plain
  -i,-include -u -b,-bits -e -E -d -a,-autoskip -C,-capitalize | reads? writes?
pv | -o,--output=writes -N,--name= -L,--rate-limit= -s,--size= -i,--interval= -B= -F,--format= -P,--pidfile=writes -d=
  -R= | reads...
age-keygen | -o,--output=writes -y | reads?
`;
