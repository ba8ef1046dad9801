#!/usr/bin/env bash
# What packages.sh does in a minimal Debian: packages_inside.sh deb|service|booted|development|wheel|tarball|npm, in a folder with the files of a release.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

tell() { printf 'packages: %s\n' "$*"; }
fail() {
  tell "$*"
  exit 1
}
kilobytes() { du -sk --exclude=/proc --exclude=/sys --exclude=/dev --exclude=/root / 2>/dev/null | cut -f1; }

# measured WHAT COMMAND...: times it, and says what it costs on the disk.
measured() {
  local what=$1 start=$SECONDS before
  shift
  apt-get update -qq
  apt-get clean
  before=$(kilobytes)
  "$@"
  apt-get clean
  tell "$what: installed in $((SECONDS - start)) s, $((($(kilobytes) - before) / 1024)) MB"
}

# Each library of a program is there.
linked() {
  local program
  for program in "$@"; do
    if ldd "$program" 2>/dev/null | grep 'not found'; then fail "$program lacks libraries"; fi
  done
}

# The ten lines of somebody new, as an account of its own.
ten_lines() {
  useradd --create-home ada
  cp -r data /home/ada/data
  runuser -l ada -c "set -e
    anima() { $1 \"\$@\"; }
    anima init
    anima remember 'The boiler is serviced by Bo every March.'
    anima recall 'Who services the boiler?' | grep Bo
    anima remember 'ฉันชอบกินข้าวผัด'
    anima recall 'ข้าวผัด' | grep ฉัน
    anima load --yes --trust verified data/hosts.csv data/services.csv
    anima ask 'Which services run on borea?' | grep -x db
    anima why db runs_on borea | grep services.csv
    anima undo last
    anima ask 'Which services run on borea?' | grep -x db && exit 1
    anima audit verify
    anima doctor >/dev/null"
}

try_deb() {
  measured anima apt-get install -y -qq --no-install-recommends ./anima_*.deb
  linked /usr/bin/anima /usr/libexec/anima/*
  [ -s /usr/share/man/man1/anima-audit-verify.1.gz ]
  bash -c 'source /usr/share/bash-completion/completions/anima
    COMP_WORDS=(anima audit v) COMP_CWORD=2; _anima; [ "${COMPREPLY[*]}" = verify ]' || fail "bash completes nothing"
  ten_lines /usr/bin/anima
  install -d -o anima /var/lib/anima/space
  measured anima-forge apt-get install -y -qq --no-install-recommends ./anima-forge_*.deb
  anima version --json | grep -q '"forge":true' || fail "anima-forge is not found"
  apt-get purge -y -qq anima
  [ ! -e /usr/bin/anima ]
  [ ! -e /etc/default/anima ]
  [ -d /var/lib/anima/space ] || fail "a purge took the memory of the service"
  [ -d /home/ada/.local/share/anima/default ] || fail "a purge took the memory of a person"
  apt-get install -y -qq --no-install-recommends ./anima_*.deb
  runuser -l ada -c "anima recall 'Who services the boiler?'" | grep -q Bo || fail "the memory is another after a purge"
  tell "anima: good"
}

try_service() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends systemd systemd-sysv libpam-systemd dbus sudo curl ./anima_*.deb
  useradd --create-home --shell /bin/bash ada
  tell "systemd $(dpkg-query -W -f '${Version}' systemd) is there"
}

# answers CURL-ARGUMENT...: the server needs a moment.
answers() {
  local tries=0
  until curl -sf "$@"; do
    [ $((++tries)) -lt 100 ] || fail "no answer: curl $*"
    sleep 0.1
  done
}

# What docs/packages.md says of the two services, and what a removal does with one that runs. systemd is the first process here.
try_booted() {
  local space=/var/lib/anima/space token
  ! systemctl is-active anima || fail "an installation starts the service"
  systemctl enable --now anima
  # What systemd says of it if it does not go on.
  trap 'systemctl status --no-pager anima || true; journalctl --no-pager | tail -n 20' ERR
  [ "$(answers --unix-socket $space/serve.sock http://localhost/readyz)" = ready ]
  token=$(sudo -u anima anima --space $space serve token add laptop)
  sed -i 's/^#\(ANIMA_SERVE_OPTIONS=\)/\1/' /etc/default/anima
  systemctl restart anima
  answers -H "Authorization: Bearer $token" http://127.0.0.1:7411/v1/memories --json '{"text":"The tide is high at nine"}'
  answers -H "Authorization: Bearer $token" http://127.0.0.1:7411/v1/recall --json '{"question":"When is the tide high?"}' |
    grep 'high at nine'
  [ "$(stat -c '%U %a' /var/lib/anima)" = "anima 700" ] || fail "others can look into /var/lib/anima"
  systemctl stop anima
  [ "$(systemctl show -P Result anima)" = success ] || fail "the service ends badly: $(systemctl status anima)"
  systemctl start anima
  tell "anima.service: good, $(systemd-analyze security anima | sed -n 's/.*exposure level.*: \([0-9.]*\).*/exposure \1 of 10/p')"

  # The account's shell expands what is quoted.
  # shellcheck disable=SC2016
  local manager='export XDG_RUNTIME_DIR=/run/user/$(id -u); until [ -S $XDG_RUNTIME_DIR/systemd/private ]; do sleep 0.1; done'
  loginctl enable-linger ada
  runuser -l ada -c "$manager; systemctl --user enable --now anima"
  [ "$(answers --unix-socket /home/ada/.local/share/anima/default/serve.sock http://localhost/readyz)" = ready ]
  runuser -l ada -c "$manager; systemctl --user stop anima; systemctl --user show -P Result anima" | grep -x success
  tell "anima.service of an account: good"

  dpkg --purge anima
  ! systemctl is-active anima || fail "a purge leaves the service running"
  [ ! -e /etc/systemd/system/multi-user.target.wants/anima.service ] || fail "a purge leaves the service enabled"
  [ -d $space ] || fail "a purge took the memory of the service"
  tell "removal: good"
}

try_development() {
  measured libanima-dev apt-get install -y -qq --no-install-recommends ./libanima-dev_*.deb ./libanima0_*.deb
  apt-get install -y -qq --no-install-recommends g++ cmake make
  cmake -S install -B build -DCMAKE_BUILD_TYPE=Debug >/dev/null
  cmake --build build
  build/stranger
  # The flags are words.
  # shellcheck disable=SC2046
  g++ install/main.cc -O0 -o by_hand $(pkg-config --cflags --libs anima)
  ./by_hand
  # shellcheck disable=SC2046
  gcc install/first.c -o first $(pkg-config --cflags --libs anima-c)
  ./first first_space
  tell "libanima-dev: good"
}

try_wheel() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3-venv
  python3 -m venv /opt/env
  measured anima-memory /opt/env/bin/pip install -q --disable-pip-version-check ./*.whl
  /opt/env/bin/pip check
  linked /opt/env/lib/python3*/site-packages/anima/bin/anima /opt/env/lib/python3*/site-packages/anima/_anima*.so
  ten_lines /opt/env/bin/anima
  /opt/env/bin/python install/memory_lines.py data space
  speaks_tls "$(echo /opt/env/lib/python3*/site-packages/anima/bin)" "$(echo /opt/env/lib/python3*/site-packages/anima/bin)"
  tell "anima-memory: good"
}

# speaks_tls BIN LIBEXEC: what the machine's libcurl brings (another OpenSSL, on a newer Debian) and what lies beside the program do not
# meet in one process. The server answers no model; who asks it hears that, and nothing worse.
speaks_tls() {
  local curl=libcurl4 server code=0 said
  ! apt-cache show libcurl4t64 >/dev/null 2>&1 || curl=libcurl4t64
  apt-get install -y -qq --no-install-recommends "$curl" openssl
  openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost
  cat tls.pem >>/etc/ssl/certs/ca-certificates.crt
  openssl s_server -accept 8443 -key tls.key -cert tls.pem -www -quiet &
  server=$!
  sleep 1
  mkdir -p config/anima
  printf '[llm.x]\nprovider = "openai"\nurl = "https://localhost:8443/v1"\nmodel = "m"\nkey_env = "MODEL_KEY"\nattempts = 1\nidle_seconds = 2\n' >config/anima/config.toml
  said=$(XDG_CONFIG_HOME=$PWD/config MODEL_KEY=sk-0123456789abcdef "$1/anima" llm check x 2>&1) || code=$?
  # It speaks TLS, and says nothing to a model's question.
  case $code in 0 | 12[6-9] | 1[3-9]? | 2??) fail "a model behind TLS: exit $code, $said" ;; esac
  grep -q 'silent' <<<"$said" || fail "a model behind TLS: $said"
  said=$(echo '{"url":"https://localhost:8443/","timeout_ms":3000,"max_bytes":1000,"redirects":1}' | "$2/anima-fetch") || code=$?
  [ "${said:0:1}" = "{" ] || fail "anima-fetch: exit $code, $said"
  kill $server
  tell "TLS by the machine's $curl: good"
}

try_tarball() {
  local home=/opt/anima-memory
  mkdir -p /usr/local/anima
  measured anima.tar.gz tar -xzf ./anima-*-linux-x86_64.tar.gz -C /usr/local/anima
  # It may lie anywhere.
  mv /usr/local/anima/anima-* $home
  linked $home/bin/anima $home/libexec/anima/anima-machine $home/lib/libanima.so.0
  # The checker of the forge wants libclang of the machine, and says so.
  ten_lines $home/bin/anima
  speaks_tls $home/bin $home/libexec/anima
  tell "anima.tar.gz: good"
}

try_npm() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends nodejs npm
  tell "node $(node --version)"
  mkdir /opt/project
  echo '{"private": true, "type": "module"}' >/opt/project/package.json
  cp install/memory_lines.mjs ./*.tgz /opt/project
  measured anima-memory npm --prefix /opt/project install --silent --no-audit --no-fund /opt/project/anima-memory-[0-9]*.tgz \
    /opt/project/anima-memory-linux-x64-*.tgz
  ten_lines /opt/project/node_modules/.bin/anima-memory
  runuser -l ada -c "cd /opt/project
    anima() { /opt/project/node_modules/.bin/anima-memory \"\$@\"; }
    anima load --yes --trust verified ~/data/hosts.csv ~/data/services.csv
    anima serve --log off & server=\$!
    until [ -S ~/.local/share/anima/default/serve.sock ]; do sleep 0.1; done
    node memory_lines.mjs ~/.local/share/anima/default
    code=\$?
    kill \$server
    wait \$server
    anima mcp-config cursor | grep -q '/node_modules/@anima/memory-linux-x64/bin/anima' || code=1
    exit \$code"
  tell "anima-memory.tgz: good"
}

"try_$1"
