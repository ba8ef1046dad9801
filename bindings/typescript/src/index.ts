// @anima/memory: a memory that can be asked, explained and undone, behind `anima serve`.
export * from './answers.js';
export {Changes} from './changes.js';
export {AnimaError, isAnimaError, type ErrorCode, type KipFault} from './errors.js';
export {type Json, type JsonInput, type JsonObject} from './json.js';
export {connect, Memory, type ConnectOptions, type KipParameters, type PastOptions, type Point} from './memory.js';
export {Pages} from './pages.js';
export {type Row} from './rows.js';
export {type CallOptions, type Fetch, type WriteOptions} from './transport.js';
