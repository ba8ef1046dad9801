# The safety policy for tools that Anima makes for itself: which facts about a C++ file are violations.
#
# The facts come from the compiler's preprocessor, which tells what is included, and from anima-inspect, which reads
# what the preprocessor left: the text that is compiled. A violation has a type, a severity, a subject and a line. This
# is the first line; what holds a hostile program is the sandbox.

# ---- Facts about the file

Decl checked() descr [extensional()].
Decl ast_import(Header, Line) descr [extensional()].
Decl ast_directive(Line) descr [extensional(), doc("a # that the preprocessor left")].
Decl ast_name(Name, Line) descr [extensional(), doc("a name that belongs to the compiler, or leads out of C++")].
Decl ast_opaque(Function, Line) descr [extensional(), doc("a declaration that shows nothing of what is in it")].
Decl ast_call(Function, Callee, Line) descr [extensional()].
Decl ast_c_function(Callee) descr [extensional(), doc("declared elsewhere, with the name that C gives it")].
Decl ast_defined(Function) descr [extensional()].
Decl ast_overrides(Method, Base) descr [extensional()].
Decl ast_type(Function, Type, Line) descr [extensional()].
Decl ast_goroutine_spawn(Target, Line) descr [extensional()].
Decl ast_uses_context_cancellation(Line) descr [extensional()].
Decl ast_raw_memory(Function, Kind, Line) descr [extensional()].
Decl ast_cast(Function, Kind, Line) descr [extensional()].
Decl ast_rtti(Function, Kind, Line) descr [extensional()].
Decl ast_foreign(Name, Line) descr [extensional()].
Decl ast_asm(Line) descr [extensional()].
Decl ast_attr(Function, Line) descr [extensional()].
Decl ast_throw(Function, Line) descr [extensional()].
Decl ast_goto(Function, Line) descr [extensional()].
Decl ast_loop_unbounded(Function, Line) descr [extensional()].
Decl too_deep(Function, Line) descr [extensional()].
Decl ast_entry(Name, Line) descr [extensional()].
Decl ast_defines_main(Line) descr [extensional()].

# ---- Headers

base_header("algorithm"). base_header("array"). base_header("atomic").
base_header("bit"). base_header("cctype"). base_header("charconv").
base_header("chrono"). base_header("climits"). base_header("cmath").
base_header("compare"). base_header("complex"). base_header("concepts").
base_header("cstddef"). base_header("cstdint"). base_header("deque").
base_header("functional"). base_header("iomanip"). base_header("iterator").
base_header("limits"). base_header("list"). base_header("locale").
base_header("map"). base_header("memory"). base_header("mutex").
base_header("numbers"). base_header("numeric"). base_header("optional").
base_header("queue"). base_header("random"). base_header("ranges").
base_header("ratio"). base_header("regex"). base_header("set").
base_header("shared_mutex"). base_header("span"). base_header("sstream").
base_header("stack"). base_header("stop_token"). base_header("string").
base_header("string_view"). base_header("thread"). base_header("tuple").
base_header("type_traits"). base_header("unordered_map"). base_header("unordered_set").
base_header("utility"). base_header("valarray"). base_header("variant").
base_header("vector"). base_header("tool_api.hpp").
violation(/forbidden_import, /blocking, Header, Line) :-
    ast_import(Header, Line), !base_header(Header).

# ---- Programs

exec_function("system"). exec_function("std::system"). exec_function("popen"). exec_function("posix_spawn").
exec_function("posix_spawnp"). exec_function("execl"). exec_function("execlp"). exec_function("execle").
exec_function("execv"). exec_function("execve"). exec_function("execvp"). exec_function("execvpe").
exec_function("fexecve"). exec_function("execveat"). exec_function("fork"). exec_function("vfork").
exec_function("wordexp"). exec_function("clone").

violation(/exec, /blocking, Callee, Line) :- ast_call(_, Callee, Line), exec_function(Callee).

# ---- Panic: whatever ends the program instead of returning an error, through any number of callers

panic_function("abort"). panic_function("std::abort"). panic_function("exit"). panic_function("std::exit").
panic_function("_exit"). panic_function("_Exit"). panic_function("std::_Exit"). panic_function("quick_exit").
panic_function("std::quick_exit"). panic_function("std::terminate"). panic_function("std::unexpected").
panic_function("std::rethrow_exception"). panic_function("std::throw_with_nested"). panic_function("std::unreachable").
panic_function("__assert_fail"). panic_function("__builtin_trap"). panic_function("__builtin_unreachable").

panics(F) :- ast_call(F, Callee, _), panic_function(Callee), ast_defined(F).
panics(F) :- ast_throw(F, _), ast_defined(F).
panics(F) :- ast_call(F, Callee, _), panics(Callee), ast_defined(F).
panics(Base) :- ast_overrides(Method, Base), panics(Method).

violation(/panic, /blocking, Callee, Line) :- ast_call(_, Callee, Line), panic_function(Callee).
violation(/panic, /blocking, "throw", Line) :- ast_throw(_, Line).
violation(/panic, /blocking, Callee, Line) :- ast_call(_, Callee, Line), panics(Callee).

# ---- Pointers and memory

memory_function("malloc"). memory_function("std::malloc"). memory_function("calloc"). memory_function("std::calloc").
memory_function("realloc"). memory_function("std::realloc"). memory_function("free"). memory_function("std::free").
memory_function("aligned_alloc"). memory_function("std::aligned_alloc"). memory_function("alloca").
memory_function("memcpy"). memory_function("std::memcpy"). memory_function("memmove").
memory_function("std::memmove"). memory_function("memset"). memory_function("std::memset").
memory_function("strcpy"). memory_function("strcat"). memory_function("strncpy").
memory_function("operator new"). memory_function("operator delete"). memory_function("operator new[]").
memory_function("operator delete[]"). memory_function("std::launder"). memory_function("std::construct_at").
memory_function("std::destroy_at"). memory_function("std::bit_cast"). memory_function("std::allocator::allocate").

violation(/unsafe_pointer, /blocking, Kind, Line) :- ast_raw_memory(_, Kind, Line).
violation(/unsafe_pointer, /blocking, Kind, Line) :- ast_cast(_, Kind, Line).
violation(/unsafe_pointer, /blocking, Callee, Line) :- ast_call(_, Callee, Line), memory_function(Callee).

# ---- Types at run time

rtti_type("std::any"). rtti_type("std::type_info"). rtti_type("std::type_index").
violation(/reflection, /critical, Kind, Line) :- ast_rtti(_, Kind, Line).
violation(/reflection, /critical, Type, Line) :- ast_type(_, Type, Line), rtti_type(Type).

# ---- Code that is not C++ of this file

linking_function("dlopen"). linking_function("dlsym"). linking_function("dlmopen").
violation(/cgo, /blocking, Name, Line) :- ast_foreign(Name, Line).
violation(/cgo, /blocking, "asm", Line) :- ast_asm(Line).
violation(/cgo, /blocking, "#", Line) :- ast_directive(Line).
# What a macro of the standard library becomes.
usable_name("__null"). usable_name("__func__"). usable_name("__builtin_offsetof").
usable_name("__builtin_nan"). usable_name("__builtin_nanf"). usable_name("__builtin_inf"). usable_name("__builtin_inff").
usable_name("__builtin_huge_val"). usable_name("__builtin_huge_valf"). usable_name("__builtin_huge_vall").
violation(/cgo, /blocking, Name, Line) :- ast_name(Name, Line), !usable_name(Name).
violation(/cgo, /blocking, "a declaration that cannot be read", Line) :- ast_opaque(_, Line).
violation(/cgo, /blocking, "attribute", Line) :- ast_attr(_, Line).
violation(/cgo, /blocking, Callee, Line) :- ast_call(_, Callee, Line), linking_function(Callee).
violation(/cgo, /blocking, "main", Line) :- ast_defines_main(Line).

# ---- Calls that reach the machine

math("abs"). math("acos"). math("acosh"). math("asin"). math("asinh"). math("atan"). math("atan2"). math("atanh").
math("cbrt"). math("ceil"). math("copysign"). math("cos"). math("cosh"). math("erf"). math("erfc"). math("exp").
math("exp2"). math("expm1"). math("fabs"). math("fdim"). math("floor"). math("fma"). math("fmax"). math("fmin").
math("fmod"). math("frexp"). math("hypot"). math("ilogb"). math("isalnum"). math("isalpha"). math("isblank").
math("iscntrl"). math("isdigit"). math("isgraph"). math("islower"). math("isprint"). math("ispunct").
math("isspace"). math("isupper"). math("isxdigit"). math("labs"). math("ldexp"). math("lgamma"). math("llabs").
math("llrint"). math("llround"). math("log"). math("log10"). math("log1p"). math("log2"). math("logb").
math("lrint"). math("lround"). math("modf"). math("nearbyint"). math("nextafter"). math("pow"). math("remainder").
math("rint"). math("round"). math("scalbn"). math("sin"). math("sinh"). math("sqrt"). math("tan"). math("tanh").
math("tgamma"). math("tolower"). math("toupper"). math("trunc").

known_elsewhere(C) :- exec_function(C).
known_elsewhere(C) :- panic_function(C).
known_elsewhere(C) :- memory_function(C).
known_elsewhere(C) :- linking_function(C).
known_elsewhere(C) :- thread_function(C).
allowed_c(C) :- math(C).
allowed_c(C) :- usable_name(C).

changing("std::filesystem::remove"). changing("std::filesystem::remove_all"). changing("std::filesystem::rename").
changing("std::filesystem::permissions"). changing("std::filesystem::current_path").
changing("std::filesystem::resize_file"). changing("std::filesystem::create_directory").
changing("std::filesystem::create_directories"). changing("std::filesystem::create_symlink").
changing("std::filesystem::create_hard_link"). changing("std::filesystem::create_directory_symlink").
changing("std::filesystem::copy"). changing("std::filesystem::copy_file"). changing("std::filesystem::copy_symlink").
changing("std::filesystem::last_write_time"). changing("std::remove"). changing("std::rename"). changing("remove_all").
writing_type("std::ofstream"). writing_type("std::basic_ofstream"). writing_type("std::fstream").
writing_type("std::basic_fstream"). writing_type("std::filebuf"). writing_type("std::basic_filebuf").

violation(/dangerous_call, /blocking, Callee, Line) :-
    ast_c_function(Callee), ast_call(_, Callee, Line), !allowed_c(Callee), !known_elsewhere(Callee).
violation(/dangerous_call, /blocking, Callee, Line) :- ast_call(_, Callee, Line), changing(Callee).
violation(/dangerous_call, /blocking, Type, Line) :- ast_type(_, Type, Line), writing_type(Type).
violation(/dangerous_call, /blocking, "unbounded loop", Line) :- ast_loop_unbounded(_, Line).
violation(/dangerous_call, /blocking, "goto", Line) :- ast_goto(_, Line).
violation(/policy_violation, /blocking, "nested too deep", Line) :- too_deep(_, Line).

# ---- Threads that nobody can stop

thread_function("std::async"). thread_function("pthread_create"). thread_function("thrd_create").
thread_function("std::thread::detach"). thread_function("std::jthread::detach"). thread_function("detach").
cancels() :- ast_uses_context_cancellation(_).
violation(/goroutine_leak, /blocking, Callee, Line) :- ast_call(_, Callee, Line), thread_function(Callee).
violation(/goroutine_leak, /blocking, "std::thread", Line) :- ast_goroutine_spawn("std::thread", Line).
violation(/goroutine_leak, /blocking, "std::thread", Line) :- ast_type(_, "std::thread", Line).
violation(/goroutine_leak, /blocking, "std::jthread", Line) :-
    ast_goroutine_spawn("std::jthread", Line), !ast_uses_context_cancellation(Line).
violation(/goroutine_leak, /blocking, "std::jthread", Line) :- ast_type(_, "std::jthread", Line), !cancels().

# ---- The door

violation(/parse_error, /blocking, "run", 0) :- checked(), !entry().
entry() :- ast_entry(_, _).
