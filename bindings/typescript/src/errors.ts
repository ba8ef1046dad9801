// The errors of Anima: one class, whose code says what went wrong (docs/errors.md).

/** The codes of docs/errors.md. */
export type ErrorCode =
  | 'invalid_argument'
  | 'syntax'
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'limit_exceeded'
  | 'corrupt'
  | 'version_mismatch'
  | 'io'
  | 'disk_full'
  | 'busy'
  | 'denied'
  | 'waiting'
  | 'cancelled'
  | 'timeout'
  | 'unsupported'
  | 'internal'
  | 'no_sandbox';

export interface ErrorParts {
  /** The place: line and column, a name, an entry. */
  where?: string | undefined;
  /** What to do about it. */
  hint?: string | undefined;
  /** Of HTTP; 0 where no answer came. */
  status?: number | undefined;
  /** The code of KIP ("KIP_2001"), where it was KIP that refused. */
  kip?: string | undefined;
  /** The approval that the call waits for. */
  approvalId?: string | undefined;
  /** The entry of the audit that tells of the refusal. */
  refusalId?: string | undefined;
}

/** Something that could not be done. `code` is stable, `hint` says what to do about it. */
export class AnimaError extends Error {
  override readonly name = 'AnimaError';
  readonly code: ErrorCode;
  /** What happened, one sentence, without place and hint. */
  readonly detail: string;
  readonly where: string;
  readonly hint: string;
  readonly status: number;
  readonly kip: string;
  /** Of `waiting`: the approval that the call waits for. Once it is given, make the same call again. */
  readonly approvalId: string;
  /** Of a refusal that the audit tells of: what `whyRefused` takes. */
  readonly refusalId: string;

  constructor(code: ErrorCode, detail: string, parts: ErrorParts = {}) {
    const where = parts.where ?? '';
    const hint = parts.hint ?? '';
    super((where ? `${where}: ` : '') + detail + (hint ? ` (${hint})` : ''));
    this.code = code;
    this.detail = detail;
    this.where = where;
    this.hint = hint;
    this.status = parts.status ?? 0;
    this.kip = parts.kip ?? '';
    this.approvalId = parts.approvalId ?? '';
    this.refusalId = parts.refusalId ?? '';
  }
}

/** Whether something is an AnimaError, and of that code. */
export function isAnimaError(error: unknown, code?: ErrorCode): error is AnimaError {
  return error instanceof AnimaError && (code === undefined || error.code === code);
}

// What a status says where the code of the answer is only that the request was not taken.
const ofStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  412: 'conflict',
  413: 'limit_exceeded',
  431: 'limit_exceeded',
  503: 'busy',
};

interface Problem {
  detail: string;
  code?: ErrorCode;
  where?: string;
  hint?: string;
  approval?: string;
  refusal?: string;
}

// What the program's options are called here.
const inHere = (text: string): string => text.replaceAll('--cascade', 'cascade: true').replaceAll('--dry-run', 'dryRun: true');

function problemIn(text: string): Problem | undefined {
  try {
    const told: unknown = JSON.parse(text);
    if (typeof told === 'object' && told !== null && typeof (told as Problem).detail === 'string') return told as Problem;
  } catch {
    // Not of Anima.
  }
  return undefined;
}

/** The error that an answer tells (RFC 9457). */
export function problemOf(status: number, text: string): AnimaError {
  const told = problemIn(text);
  if (told === undefined) {
    return new AnimaError('io', `the server answers with ${status}: ${text.slice(0, 300).trim()}`, {hint: 'is it `anima serve`?', status});
  }
  const {hint = '', where, approval: approvalId, refusal: refusalId} = told;
  // A tool's message ends with its hint.
  const end = ` (${hint})`;
  const detail = hint && told.detail.endsWith(end) ? told.detail.slice(0, -end.length) : told.detail;
  let code = told.code ?? 'internal';
  if (code === 'invalid_argument') code = ofStatus[status] ?? code;
  return new AnimaError(code, inHere(detail), {where, hint: inHere(hint), status, approvalId, refusalId});
}

// docs/kip.md, "When it fails".
const ofKip: Readonly<Record<string, ErrorCode>> = {
  KIP_1001: 'syntax',
  KIP_1002: 'syntax',
  KIP_2001: 'invalid_argument',
  KIP_2002: 'invalid_argument',
  KIP_2003: 'invalid_argument',
  KIP_3001: 'invalid_argument',
  KIP_3002: 'not_found',
  KIP_3003: 'already_exists',
  KIP_3004: 'denied',
  KIP_3005: 'conflict',
  KIP_4001: 'timeout',
  KIP_4002: 'limit_exceeded',
};

/** What KIP tells under "error". */
export interface KipFault {
  code: string;
  name: string;
  message: string;
  hint?: string;
  data?: {line?: number; column?: number};
}

export function kipError(fault: KipFault): AnimaError {
  const {line, column} = fault.data ?? {};
  const where = line !== undefined && column !== undefined ? `${line}:${column}` : '';
  return new AnimaError(ofKip[fault.code] ?? 'internal', `${fault.code}: ${fault.message}`, {where, hint: fault.hint, status: 200, kip: fault.code});
}
