// What a server answers with. Names are those of the routes (docs/serve.md); a test holds each field to real answers.
import type {Json, JsonObject} from './json.js';

/** How far the origin of a text is trusted, rising. */
export type Trust = 'hostile' | 'untrusted' | 'standard' | 'verified' | 'operator' | 'system';

/** Who the caller is for the server, and what it may. */
export interface Caller {
  name: string;
  trust: Trust;
  may_write: boolean;
  readonly_server: boolean;
  sees_approvals: 'all' | 'own';
}

/** A text that is remembered. Of a long one `text` is the beginning, and `bytes` its length. */
export interface MemoryItem {
  id: string;
  text: string;
  trust: Trust;
  author: string;
  source: string;
  /** ISO 8601, UTC. */
  created: string;
  changeable: boolean;
  /** Whose words it is; without one nobody's in particular. */
  speaker?: string;
  bytes?: number;
  unreadable?: true;
}

/** A memory with the state that was seen, for `updateMemory` and `forgetMemory`. */
export interface SeenMemory extends MemoryItem {
  etag: string;
}

export interface MemoryPage {
  memories: MemoryItem[];
  next_cursor?: string;
}

/** What a text said, as far as it was understood. */
export interface Told {
  /** What it stated, in words. */
  stated?: string | null;
  /** What it put right. */
  corrected?: string;
  /** What is not clear, and the ways to read it. */
  asks?: string;
  question?: string;
  proposes?: string;
  choices?: string[];
  /** Words that state no fact. */
  left_over?: string;
  dropped?: true;
}
/** What came of a text. `id` is null where it only took something back. */
export interface Remembered extends Told {
  id: string | null;
  known_before: boolean;
  trust: Trust;
}
export interface Updated extends Told {
  /** Of the text that took its place. */
  id: string;
  unchanged: boolean;
  taken_back: string[];
}
/** What came of an answer to a question. */
export interface Decided extends Told {
  id: string;
}
/** What was asked back about a text of the caller, and nobody has answered. */
export interface OpenQuestion {
  /** For `answer`. */
  id: string;
  /** What was said. */
  words: string;
  question: string;
  /** What "yes" notes; empty: "yes" is no answer. */
  proposes: string;
  /** What may be answered beside "yes" and "no". */
  choices: string[];
  author: string;
  source: string;
  /** ISO 8601, UTC. */
  said: string;
  trust: Trust;
  /** The text's memory, where it is kept. */
  memory?: string;
  /** Who says "I" in it. */
  speaker?: string;
}
/** The first of them, and how many there are. */
export interface OpenQuestions {
  questions: OpenQuestion[];
  open: number;
}
/** What went, or of a dry run would go; told apart by `forgotten`. */
export type Forgotten = {id: string; forgotten: true; taken_back: string[]} | {id: string; forgotten: false; would_take_back: string[]};

/** What memory and graph hold on a question, fenced and labelled, for a model's prompt. */
export interface Recalled {
  text: string;
  /** The least trust of all that went in. */
  label: Trust;
  items: number;
  left_out: number;
  ids?: string[];
  note?: string;
}

/** A statement under an answer. `claimed_source` is what its writer says. */
export interface AnswerGround {
  fact: string;
  entry: number;
  author: string;
  source: string;
  confidence: number;
  trust: Trust;
  claimed_source?: string;
  valid_from?: string;
  valid_to?: string;
}
/** A step of a derivation, where "does X .." was asked and rules say so. */
export interface AnswerStep {
  depth: number;
  fact: string;
  because: string;
  confidence: number;
  where?: string;
  entry?: number;
  author?: string;
  source?: string;
}

/** What of a text holds no longer: all of it, or these facts. */
export interface NoLonger {
  whole: boolean;
  facts: string[];
}

interface AnswerParts {
  /** The sentence. */
  answer: string;
  /** How the question was read. */
  reading: string;
  query: string;
  language: 'kip' | 'sparql' | 'datalog' | '';
  columns: string[];
  rows: Json[][];
  unknown: string[];
  /** Known words like the unknown ones. */
  near: Record<string, string[]>;
  readings: {reading: string; query: string; rows: Json[][]}[];
  reason: string;
  proof: (AnswerGround | AnswerStep)[];
  next: string[];
  trust?: Trust;
  confidence?: number;
  contradictions?: string[];
  /** What is only said by who is not trusted. */
  untrusted?: {rows: Json[][]; sources: string[]};
  /** Texts that were told and say something of it. */
  told?: {text: string; memory: string; trust: Trust; speaker?: string; over?: NoLonger}[];
}
/** Understood, and answered. */
export interface Answered extends AnswerParts {
  status: 'answered';
}
/** Understood, and nothing is so. */
export interface EmptyAnswer extends AnswerParts {
  status: 'empty';
}
/** It can be read in several ways: `readings`. */
export interface AmbiguousAnswer extends AnswerParts {
  status: 'ambiguous';
}
/** `unknown` has the words that nothing here explains. */
export interface NotUnderstood extends AnswerParts {
  status: 'not_understood';
}
/** The answer to a question in plain words, told apart by `status` (docs/ask.md). */
export type Answer = Answered | EmptyAnswer | AmbiguousAnswer | NotUnderstood;

/** Who states a fact. */
export interface Assertion {
  graph: string;
  confidence: number;
  entry: number;
  time: string;
  author: string;
  source: string;
  trust: Trust;
  provenance: string | null;
}
export interface Dispute {
  superseded: boolean;
  even: boolean;
  effective: string;
  other: string;
  reason: string;
}
interface StepParts {
  /** The distance from the fact that is proved. */
  depth: number;
  fact: string;
  because: string;
  where: string;
  repeated: boolean;
  confidence: number;
}
/** A fact that somebody states. */
export interface GivenStep extends StepParts {
  given: true;
  asserted: Assertion[];
  out_of_time?: string[];
  contradictions?: Dispute[];
}
/** A fact that a rule derives. */
export interface DerivedStep extends StepParts {
  given: false;
}
export type ProofStep = GivenStep | DerivedStep;
/** Why a fact holds; the fact itself is the first step. */
export interface Proof {
  fact: string;
  proof: ProofStep[];
  confidence: number;
  superseded: number;
  ended: number;
  trust: Trust;
}

export interface Thing {
  /** "C:12". */
  id: string;
  type: string;
  name: string;
}
export interface ThingPage {
  things: Thing[];
  next_cursor?: string;
}

/** What is stated of a thing. A value has no `object_id`. */
export interface Fact {
  subject: string;
  predicate: string;
  object: string;
  subject_id: string;
  object_id?: string;
  /** As rules write it. */
  rule_text?: string;
  author?: string;
  source?: string;
  trust?: Trust;
  stated_by?: {author: string; source: string; trust: Trust; entry: number}[];
  confidence?: number;
  time?: string;
  entry?: number;
  valid_from?: string;
  valid_to?: string;
}
export interface Facts {
  entity: string;
  name: string;
  type: string | null;
  facts: Fact[];
  left_out: number;
}

/** One entry of the log; its statements are sentences. `more` counts those that are not told. */
export interface Entry {
  sequence: number;
  time: string;
  author: string;
  source: string;
  trust: Trust;
  added: string[];
  removed: string[];
  more?: number;
}
export interface HistoryEntry extends Entry {
  /** The first entry of the act that it is of. */
  act: number;
}
export interface History {
  entity: string;
  name: string;
  entries: HistoryEntry[];
}

/** An event of the change feed, told apart by `type`. */
export type Change = ({type: 'change'} & Entry) | {type: 'unread'; sequence: number};

export interface Difference {
  since: number;
  now: number;
  added: string[];
  removed: string[];
  added_count: number;
  removed_count: number;
  unread: number;
  upkeep: number;
}

export interface Act {
  act: number;
  name: string;
  time: string;
  author: string;
  entries: number[];
}
export interface Undone {
  dry_run: boolean;
  acts: Act[];
  entries: number[];
  keys: number;
  forgotten_in: number;
  going: {count: number; facts: string[]};
  coming: {count: number; facts: string[]};
  /** The entry that took them back. */
  sequence?: number;
}

/** What an approver signs with their key to answer a call that waits. */
export interface ApprovalStatement {
  what: string;
  content: JsonObject;
  digest: string;
  at: string;
  /** The text whose bytes the signature is of. */
  text: string;
}

/** A run of an agent. */
export interface Run {
  run: number;
  last: number;
  time: string;
  agent: string;
  source: string;
  steps: number;
  cycle_count: number;
}

/** What came of a run behind an entry: `last` is the one to go on behind. */
export interface RunTold {
  run: number;
  agent: string;
  time: string;
  source: string;
  last: number;
  steps: number;
  cycles: JsonObject[];
  calls: {tools: number; models: number};
  more: number;
}

export interface Statistics {
  entries: number;
  concepts: number;
  propositions: number;
  assertions: number;
  literals: number;
  graphs: number;
  log_bytes: number;
  base_bytes: number;
  heap_bytes: number;
  base_sequence: number;
}

/** A call that waits for a person. */
export interface Approval {
  id: string;
  tool: string;
  agent: string;
  trust: Trust;
  effective_trust: Trust;
  arguments: JsonObject;
  arguments_hash: string;
  status: string;
  reason: string;
  decided_by: string;
  asked: string;
  expires: string;
  evidence?: Json;
  approver?: string;
  erased?: true;
}

/** A node or a link as KIP tells it, told apart by `_type`. */
export interface ConceptNode {
  _type: 'ConceptNode';
  id: string;
  type: string;
  name: string;
  attributes: JsonObject;
  metadata: JsonObject;
}
export interface PropositionLink {
  _type: 'PropositionLink';
  id: string;
  subject: Json;
  predicate: string;
  object: Json;
  attributes: JsonObject;
  metadata: JsonObject;
}
export type KipNode = ConceptNode | PropositionLink;

/** A term of RDF, told apart by `type`. */
export type Term =
  | {type: 'uri'; value: string}
  | {type: 'bnode'; value: string}
  | {type: 'literal'; value: string; datatype?: string; 'xml:lang'?: string};
/** What SPARQL answers, told apart by `form`. */
export type SparqlAnswer =
  | {form: 'rows'; variables: string[]; rows: Record<string, Term | undefined>[]}
  | {form: 'truth'; truth: boolean}
  | {form: 'triples'; ntriples: string};
export interface SparqlChange {
  operations: number;
  inserted: number;
  deleted: number;
  /** The log entries that it wrote. */
  entries: number[];
}

/** What each route answers with. */
export interface Answers {
  remember: Remembered;
  listMemories: MemoryPage;
  showMemory: MemoryItem;
  updateMemory: Updated;
  forgetMemory: Forgotten;
  recall: Recalled;
  ask: Answer;
  why: Proof;
  kip: JsonObject;
  kipReadonly: JsonObject;
  me: Caller;
  things: ThingPage;
  facts: Facts;
  history: History;
  entry: Entry;
  undo: Undone;
  changes: Difference;
  events: Change;
  statistics: Statistics;
  listQuestions: OpenQuestions;
  answerQuestion: Decided;
  listApprovals: {approvals: Approval[]};
  showApproval: Approval;
  grantApproval: Approval;
  denyApproval: Approval;
  approvalStatement: ApprovalStatement;
  answerApproval: Approval;
  sleepCycles: {cycles: JsonObject[]};
  runs: {runs: Run[]; sees: 'all' | 'none'};
  showRun: RunTold;
}
