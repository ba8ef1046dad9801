#include "govern/detail/shell_table_rows.h"

#include <array>

namespace anima::govern::detail {
namespace {

constexpr auto kFiles = std::to_array<TableRow>({
    // A second operand is written, and of joined letters the first alone counts: -ac N is -a.
    {.words = "xxd",
     .valued = "clsg",
     .options = "-a -b -e -E -i -p -u -ps",
     .most = 1,
     .traits = kOptionsFirst},
    {.words = "xmllint",
     .options = "--noout --format --nonet --xpath: --html --recover --nowarning --noblanks",
     .most = kAny,
     .traits = kLocal},
    {.words = "openssl x509",
     .options = "-noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint "
                "-sha256 -sha1 -pubkey -modulus -purpose -email -hash -in: -inform: -nameopt: "
                "-ext: -checkend:",
     .traits = kLocal},
    {.words = "openssl dgst",
     .options = "-sha1 -sha224 -sha256 -sha384 -sha512 -md5 -r -hex",
     .most = kAny,
     .traits = kLocal},
    {.words = "openssl sha256", .options = "-r -hex", .most = kAny, .traits = kLocal},
    {.words = "openssl rand", .options = "-hex -base64", .most = 1, .traits = kPlain},
    {.words = "openssl version", .flags = "avbpd"},
    {.words = "iconv",
     .flags = "cls",
     .valued = "ft",
     .options = "--list --from-code: --to-code:",
     .most = kAny},
    {.words = "diff3", .flags = "eExX3AaimT", .most = 3},
    {.words = "sdiff", .flags = "ilsabBEZtWd", .valued = "wI", .most = 2},
    {.words = "wdiff", .flags = "123nis", .most = 2},
    {.words = "patch",
     .flags = "uNRslEft",
     .valued = "piF",
     .options = "--dry-run --strip: --input: --verbose",
     .needs = "--dry-run",
     .most = 1},
    {.words = "split",
     .flags = "dxe",
     .valued = "lbnCa",
     .options = "--lines: --bytes: --number: --suffix-length: --numeric-suffixes "
                "--numeric-suffixes=",
     .most = 2,
     .traits = kInside | kMakes},
    // Without a statement it reads its input, in which .trace and others write.
    {.words = "sqlite3 -safe -readonly",
     .options = "-header -noheader -csv -json -column -line -list -box -table -markdown -batch",
     .most = 2,
     .least = 2,
     .traits = kLocal | kNoDot | kStatement},
    {.words = "sqlite3 -readonly -safe",
     .options = "-header -noheader -csv -json -column -line -list -box -table -markdown -batch",
     .most = 2,
     .least = 2,
     .traits = kLocal | kNoDot | kStatement},
    {.words = "sort",
     .flags = "bdfghiMnRrVcCmsuz",
     .valued = "ktSo",
     .options = "--output: --unique --reverse --numeric-sort --key: --field-separator: --",
     .needs = "-o --output",
     .most = kAny,
     .traits = kInside | kMakes},
    {.words = "chmod",
     .choices = "+x|u+x|a+x|ug+x|+r|a+r|u+w|644|755|600|700",
     .flags = "v",
     .most = kAny,
     .traits = kInside | kMakes | kTailed},
    {.words = "umask", .flags = "S", .most = 1, .traits = kPlain},
    {.words = "dos2unix", .flags = "qk", .most = kAny, .traits = kInside | kMakes},
    {.words = "unix2dos", .flags = "qk", .most = kAny, .traits = kInside | kMakes},
    {.words = "pdftotext",
     .flags = "q",
     .options = "-layout -raw -simple -nopgbrk -bbox -htmlmeta -f: -l: -enc: -eol: -r: -x: -y: -W: "
                "-H:",
     .most = 2,
     .traits = kLocal | kInside | kMakes},
    // Where nobody sits at a terminal they only print.
    {.words = "less", .most = kAny},
    {.words = "more", .most = kAny},
    {.words = "rsync",
     .flags = "navrlptgoDuchiWxHSIkL",
     .options = "--dry-run --delete --stats --exclude: --include: --archive --verbose --checksum "
                "--recursive --itemize-changes --human-readable --size-only --existing "
                "--ignore-existing --",
     .needs = "-n --dry-run",
     .most = kAny,
     .traits = kLocal},
    // --pre, --hostname-bin and the configuration run programs.
    {.words = "rg",
     .flags = "nilcvwoHLShNuFUsx0aIpq",
     .valued = "eABCgtTmMjd",
     .options = "--files --hidden --no-ignore --count --json --heading --no-heading --line-number "
                "--ignore-case --smart-case --fixed-strings --word-regexp --files-with-matches "
                "--multiline --only-matching --stats --vimgrep --type-list --glob: --type: "
                "--type-not: --context: --max-count: --max-depth: --sort: --color: --",
     .most = kAny},
    // -R runs itself in each folder, with -o.
    {.words = "tree",
     .flags = "adfxlpshugDFqNQACSnrtvcUXJi",
     .valued = "LPI",
     .options = "--dirsfirst --filesfirst --du --noreport --prune --gitignore --si --inodes "
                "--ignore-case --matchdirs --sort= --filelimit: --charset:",
     .most = kAny},
    {.words = "shellcheck",
     .flags = "axV",
     .valued = "sefSo",
     .options = "--shell: --severity: --format: --exclude: --color= --version --",
     .most = kAny},
    {.words = "clang-format",
     .flags = "n",
     .options = "--dry-run --Werror --verbose --style: -style= --style=",
     .most = kAny,
     .traits = kLocal},
    {.words = "mediainfo", .flags = "f", .most = kAny, .traits = kLocal},
});

// Each mode has a row of its own where a later option would replace an earlier one.
constexpr auto kPacked = std::to_array<TableRow>({
    {.words = "tar",
     .flags = "tdvzjJaR",
     .valued = "fC",
     .options = "--list --diff --compare --verbose --file: --gzip --bzip2 --xz --zstd --directory: "
                "--exclude: --wildcards --full-time --numeric-owner --",
     .needs = "-t -d --list --diff --compare",
     .most = kAny,
     .traits = kLocal},
    {.words = "tar",
     .flags = "xOvzjJ",
     .valued = "fC",
     .options = "--extract --get --to-stdout --verbose --file: --gzip --bzip2 --xz --zstd "
                "--directory: --",
     .needs = "-O --to-stdout",
     .most = kAny,
     .traits = kLocal},
    {.words = "7z l", .options = "-slt -ba", .most = kAny, .traits = kLocal},
    {.words = "7z t", .most = kAny, .traits = kLocal},
    {.words = "zip",
     .flags = "rqvjyDX0123456789",
     .most = kAny,
     .traits = kLocal | kInside | kMakes},
    {.words = "unzip", .flags = "ltvq", .needs = "-l -t -v", .most = kAny, .traits = kOptionsFirst},
    {.words = "unzip", .flags = "pq", .needs = "-p", .most = kAny, .traits = kOptionsFirst},
    {.words = "unzip", .flags = "Z1smlvhtTz", .needs = "-Z", .most = kAny, .traits = kOptionsFirst},
    {.words = "zipinfo", .flags = "12smlvhtTz", .most = kAny},
    {.words = "gzip",
     .flags = "cdtlvqkn123456789",
     .options = "--stdout --decompress --test --list --keep --verbose --quiet --best --fast --",
     .needs = "-c -t -l --stdout --test --list",
     .most = kAny},
    {.words = "gzip", .flags = "cdnvq123456789", .options = "--best --fast"},
    {.words = "gzip",
     .flags = "knvq123456789",
     .options = "--keep --best --fast --verbose --",
     .needs = "-k --keep",
     .most = kAny,
     .traits = kInside | kMakes},
    {.words = "gunzip", .flags = "cvq"},
    {.words = "gunzip",
     .flags = "ctlvqk",
     .options = "--stdout --test --list --keep --",
     .needs = "-c -t -l --stdout --test --list",
     .most = kAny},
    {.words = "xz",
     .flags = "tlvq",
     .options = "--test --list --verbose --robot --",
     .needs = "-t -l --test --list",
     .most = kAny},
    {.words = "xz",
     .flags = "cdzkvq0123456789e",
     .options = "--stdout --decompress --compress --keep --",
     .needs = "-c --stdout",
     .most = kAny},
    {.words = "xz", .flags = "cdzvq0123456789e"},
    {.words = "xz",
     .flags = "kzvq0123456789e",
     .options = "--keep --verbose --",
     .needs = "-k --keep",
     .most = kAny,
     .traits = kInside | kMakes},
    {.words = "unxz",
     .flags = "ckvq",
     .options = "--stdout --",
     .needs = "-c --stdout",
     .most = kAny},
    {.words = "bzip2", .flags = "tvq", .options = "--test --", .needs = "-t --test", .most = kAny},
    {.words = "bzip2",
     .flags = "cdzkvqs123456789",
     .options = "--stdout --decompress --keep --",
     .needs = "-c --stdout",
     .most = kAny},
    {.words = "bzip2", .flags = "cdzvq123456789"},
    {.words = "bunzip2",
     .flags = "ckvq",
     .options = "--stdout --",
     .needs = "-c --stdout",
     .most = kAny},
    {.words = "zstd", .flags = "tvq", .options = "--test --", .needs = "-t --test", .most = kAny},
    {.words = "zstd", .flags = "lvq", .options = "--list --", .needs = "-l --list", .most = kAny},
    {.words = "zstd",
     .flags = "cdkvq0123456789",
     .options = "--stdout --decompress --keep --",
     .needs = "-c --stdout",
     .most = kAny},
    {.words = "zstd", .flags = "cdvq0123456789"},
    {.words = "zstdcat", .flags = "vq", .options = "--", .most = kAny},
    {.words = "zgrep", .flags = "ciEFHhlLnoqsvwx", .valued = "eABCm", .most = kAny},
    {.words = "xzgrep", .flags = "ciEFHhlLnoqsvwx", .valued = "eABCm", .most = kAny},
    {.words = "cpio",
     .flags = "itv",
     .valued = "F",
     .options = "--list --extract --verbose --quiet --file:",
     .needs = "-t --list",
     .most = kAny,
     .traits = kLocal},
    {.words = "ar t", .most = kAny, .traits = kLocal},
    {.words = "ar tv", .most = kAny, .traits = kLocal},
    {.words = "ar -t", .most = kAny, .traits = kLocal},
});

constexpr auto kObjects = std::to_array<TableRow>({
    {.words = "readelf",
     .flags = "ahlSsednruVAIWgtD",
     .valued = "xpR",
     .options = "--all --file-header --program-headers --headers --segments --section-headers "
                "--sections --symbols --syms --dyn-syms --dynamic --notes --relocs --wide "
                "--version-info --string-dump: --hex-dump: --",
     .most = kAny,
     .traits = kLocal},
    {.words = "nm",
     .flags = "aABCDgnopPrSuv",
     .valued = "t",
     .options = "--demangle --dynamic --defined-only --undefined-only --extern-only --numeric-sort "
                "--size-sort --print-size --print-file-name --no-demangle --",
     .most = kAny,
     .traits = kLocal},
    {.words = "objdump",
     .flags = "dDxhtTprsSfCRalwz",
     .valued = "Mj",
     .options = "--disassemble --disassemble-all --all-headers --headers --section-headers --syms "
                "--dynamic-syms --reloc --full-contents --source --file-headers --private-headers "
                "--demangle --line-numbers --no-show-raw-insn --section: --start-address: "
                "--stop-address: --disassembler-options: --wide --disassemble= --",
     .most = kAny,
     .traits = kLocal},
    {.words = "size",
     .flags = "ABGdoxt",
     .options = "--format= --totals --",
     .most = kAny,
     .traits = kLocal},
    {.words = "addr2line",
     .flags = "afiCps",
     .valued = "ej",
     .options = "--exe: --functions --inlines --demangle --pretty-print --addresses",
     .most = kAny,
     .traits = kLocal},
    {.words = "c++filt", .flags = "_npt", .most = kAny, .traits = kLocal},
});

constexpr std::string_view kSocketFlags = "tulnpaxeimosH46OTdw";
constexpr std::string_view kSocketOptions =
    "--tcp --udp --listening --numeric --processes --all --unix --extended --summary --no-header "
    "--ipv4 --ipv6 --info --memory --options";
constexpr auto kSystem = std::to_array<TableRow>({
    // A printer's name can hold a machine's.
    {.words = "lpstat", .options = "-a -p -d -t -o -r -v -s -l -R", .most = 1, .traits = kPlain},
    {.words = "lpq", .flags = "al"},
    {.words = "dmesg",
     .flags = "TtkuxrdeLPw",
     .valued = "lf",
     .options = "--ctime --level: --facility: --follow --kernel --userspace --decode --json "
                "--nopager --notime --reltime --since: --until:"},
    {.words = "aplay",
     .flags = "lL",
     .options = "--list-devices --list-pcms",
     .needs = "-l -L --list-devices --list-pcms"},
    {.words = "arecord",
     .flags = "lL",
     .options = "--list-devices --list-pcms",
     .needs = "-l -L --list-devices --list-pcms"},
    {.words = "crontab", .flags = "l", .needs = "-l"},
    {.words = "at", .flags = "l", .needs = "-l"},
    {.words = "atq"},
    {.words = "systemctl",
     .choices = "status|show|cat|list-units|list-unit-files|list-timers|list-sockets|list-jobs|"
                "list-dependencies|is-active|is-enabled|is-failed|is-system-running|get-default",
     .flags = "alq",
     .valued = "tpno",
     .options = "--no-pager --all --failed --user --system --full --plain --no-legend --quiet "
                "--type: --state: --property: --value --lines: --output: --reverse --",
     .most = kAny},
    {.words = "journalctl",
     .flags = "abefklmnqrx0123456789N",
     .valued = "uptSUogF",
     .options = "--since: --until: --unit: --user-unit: --identifier: --priority: --grep: "
                "--output: --field: --lines= --boot --boot= --dmesg --follow --reverse --no-pager "
                "--disk-usage --list-boots --utc --user --system --no-hostname --catalog --quiet "
                "--all --fields --header --output-fields:",
     .most = kAny},
    {.words = "loginctl",
     .choices = "list-sessions|list-users|list-seats|session-status|user-status|seat-status|"
                "show-session|show-user|show-seat",
     .flags = "al",
     .valued = "pno",
     .options = "--no-pager --no-legend --all --full --property: --value --lines: --output:",
     .most = kAny},
    {.words = "timedatectl",
     .choices = "status|show|list-timezones|timesync-status|show-timesync",
     .flags = "a",
     .valued = "p",
     .options = "--no-pager --all --property: --value"},
    {.words = "localectl", .choices = "status|list-locales|list-keymaps", .options = "--no-pager"},
    {.words = "hostnamectl", .choices = "status", .options = "--static --pretty --transient"},
    // -r asks a server for names.
    {.words = "ss", .flags = kSocketFlags, .valued = "fA", .options = kSocketOptions},
    // A machine's name in a filter would be asked for: none but state NAME.
    {.words = "ss",
     .choices = "state",
     .flags = kSocketFlags,
     .valued = "fA",
     .options = kSocketOptions,
     .most = 1,
     .traits = kPlain},
    {.words = "netstat", .flags = "tulnpaxrsieW46", .needs = "-n"},
    {.words = "lsof", .flags = "ntPlUaOi", .valued = "pucg", .needs = "-n", .most = kAny},
    // Numbers of processes and files that are named: no address is looked up.
    {.words = "lsof", .flags = "tPl", .valued = "pucg", .needs = "-t", .most = kAny},
    {.words = "lsof", .flags = "Pl", .most = kAny, .least = 1},
    {.words = "lsof", .flags = "PlU", .needs = "-U"},
    {.words = "lspci", .flags = "vnkmtDb", .valued = "sd"},
    {.words = "mount", .flags = "l"},
    {.words = "hostname", .flags = "sI"},
    {.words = "last", .flags = "axFiwR0123456789", .valued = "nfstp", .most = kAny},
    {.words = "who", .flags = "aHbqumrTdlps", .most = 2},
    {.words = "w", .flags = "hsfiou", .most = 1},
    {.words = "top", .flags = "bHcie1", .valued = "ndpuUo", .needs = "-b"},
    {.words = "getconf", .flags = "a", .most = 2},
    {.words = "getent", .choices = "passwd|group|services|protocols", .most = kAny},
    {.words = "whatis", .options = "--", .most = kAny},
    {.words = "apropos", .flags = "a", .options = "--", .most = kAny},
});

// Of ip, an option before the object and its list alone.
constexpr std::string_view kIpOptions = "-br -brief -4 -6 -o -oneline -j -json -s -d -p -pretty";
constexpr auto kNetwork = std::to_array<TableRow>({
    {.words = "ip",
     .choices = "a|addr|address|l|link|r|route|n|neigh|rule|maddr",
     .options = kIpOptions},
    {.words = "ip addr show", .most = kAny},
    {.words = "ip a show", .most = kAny},
    {.words = "ip address show", .most = kAny},
    {.words = "ip link show", .most = kAny},
    {.words = "ip route show", .most = kAny},
    {.words = "ip route list", .most = kAny},
    {.words = "ip neigh show", .most = kAny},
    {.words = "ip addr list", .most = kAny},
    {.words = "ip rule show", .most = kAny},
    {.words = "ip -br addr show", .most = kAny},
    {.words = "ip -br link show", .most = kAny},
    {.words = "ip -4 addr show", .most = kAny},
    {.words = "ip -6 addr show", .most = kAny},
    {.words = "ip -o addr show", .most = kAny},
    {.words = "ip -s link show", .most = kAny},
    {.words = "ip -6 route show", .most = kAny},
});

constexpr auto kPackages = std::to_array<TableRow>({
    {.words = "dpkg",
     .flags = "lLsSp",
     .options = "--list --listfiles --status --search --get-selections --print-architecture "
                "--print-foreign-architectures --",
     .needs = "-l -L -s -S -p --list --listfiles --status --search --get-selections "
              "--print-architecture --print-foreign-architectures",
     .most = kAny},
    {.words = "dpkg-query",
     .flags = "WlLsSp",
     .valued = "f",
     .options = "--show --list --listfiles --status --search --showformat= --",
     .most = kAny},
    {.words = "apt",
     .choices = "list|show|policy|search|depends|rdepends",
     .flags = "a",
     .options = "--installed --upgradable --all-versions --names-only",
     .most = kAny},
    {.words = "apt-cache",
     .choices = "show|search|policy|depends|rdepends|showpkg|madison|stats|"
                "pkgnames",
     .flags = "an",
     .options = "--names-only --no-all-versions --installed",
     .most = kAny},
    // pip list asks the index whether pip is old.
    {.words = "pip show", .flags = "fv", .options = "--files --verbose", .most = kAny},
    {.words = "pip3 show", .flags = "fv", .options = "--files --verbose", .most = kAny},
    {.words = "pip list",
     .options = "--disable-pip-version-check --format: --user --local",
     .needs = "--disable-pip-version-check"},
    {.words = "pip3 list",
     .options = "--disable-pip-version-check --format: --user --local",
     .needs = "--disable-pip-version-check"},
});

template <std::size_t... Sizes>
constexpr auto joined(const std::array<TableRow, Sizes>&... parts) {
  std::array<TableRow, (Sizes + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const TableRow& row : part) all[at++] = row;
  };
  (append(parts), ...);
  return all;
}

constexpr auto kAllRows = joined(kFiles, kPacked, kObjects, kSystem, kNetwork, kPackages);

}  // namespace

std::span<const TableRow> table_rows() { return kAllRows; }

}  // namespace anima::govern::detail
