// As much of Node's own modules as node.ts and program.ts use, so that nothing else is needed to compile them.
declare module 'node:http' {
  import type {Readable} from 'node:stream';
  interface IncomingMessage extends Readable {
    readonly statusCode?: number;
    readonly headers: Record<string, string | string[] | undefined>;
  }
  interface ClientRequest {
    once(event: 'response', heard: (answer: IncomingMessage) => void): this;
    once(event: 'error', heard: (error: Error) => void): this;
    once(event: 'close', heard: () => void): this;
    destroy(error: Error): this;
    end(body?: string): this;
  }
  export function request(options: {socketPath: string; method: string; path: string; headers: Record<string, string>}): ClientRequest;
}
declare module 'node:stream' {
  export class Readable {
    resume(): this;
    static toWeb(stream: Readable): ReadableStream<Uint8Array>;
  }
}
declare module 'node:fs' {
  export const constants: {readonly X_OK: number};
  export function accessSync(path: string, mode: number): void;
  export function statSync(path: string): {isFile(): boolean};
}
declare module 'node:path' {
  export function resolve(...parts: string[]): string;
  export function dirname(path: string): string;
  export const delimiter: string;
}
declare module 'node:module' {
  export function createRequire(from: string): {resolve(name: string): string};
}
declare module 'node:child_process' {
  interface Child {
    kill(signal: string): boolean;
    once(event: 'error', heard: (error: Error) => void): this;
    once(event: 'exit', heard: (code: number | null, signal: string | null) => void): this;
  }
  export function spawn(program: string, given: readonly string[], options: {stdio: 'inherit'}): Child;
}
declare module 'node:process' {
  const process: {
    readonly argv: string[];
    readonly env: Record<string, string | undefined>;
    readonly platform: string;
    readonly arch: string;
    readonly pid: number;
    readonly stdin: {readonly isTTY?: boolean};
    readonly stdout: {write(text: string): void};
    readonly stderr: {write(text: string): void};
    on(signal: string, heard: (signal: string) => void): void;
    off(signal: string, heard: (signal: string) => void): void;
    kill(id: number, signal: string): void;
    exitCode: number | undefined;
  };
  export default process;
}
