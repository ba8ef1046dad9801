// A guarded session of Anima: asks `anima guard call` before a tool is called, and reports what it gave.
//
//   const guard = new AnimaGuard({ tools: "tools.json", session: "inbox" });
//   await guard.begin("Answer Ada's mail");
//   await guard.plan([{ tool: "mail_list" }, { tool: "mail_send" }]);
//   const verdict = await guard.judge("mail_list", {});
//   if (verdict.decision === "allow") await guard.observe(verdict.call!, mailbox());
//   await guard.close();
//
// One process of `anima` serves one session, line by line; docs/governance_values.md says what each request does. The
// space is that of $ANIMA_SPACE unless one is named. Requests are answered in their order.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export type Arguments = Record<string, unknown>;

export interface PlannedTool {
  tool: string;
  most?: number;
}

export interface Verdict {
  decision: "allow" | "ask" | "deny";
  call?: number; // its number, when it may run
  reason?: string;
  because?: string[]; // which values are the reason, and where each came from
  approval?: string;
  arguments: Arguments; // to be used: with the named values put in
}

export interface GuardOptions {
  tools: string; // a file of declarations
  session?: string;
  space?: string;
  anima?: string; // the program
}

export class GuardError extends Error {}

export class AnimaGuard {
  private readonly process: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: Interface;
  private readonly waiting: Array<(line: string | undefined) => void> = [];
  private ended = false;

  constructor(options: GuardOptions) {
    const space = options.space === undefined ? [] : ["--space", options.space];
    const words = [...space, "guard", "call", "--tools", options.tools, "--session", options.session ?? "guard"];
    this.process = spawn(options.anima ?? "anima", words, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.process.stdout });
    this.lines.on("line", (line) => this.waiting.shift()?.(line));
    this.lines.on("close", () => this.stop());
    this.process.on("error", () => this.stop());
    this.process.stdin.on("error", () => this.stop());
  }

  // A person's message; `channel`, `trust` and `sender` where it did not come from the person at the terminal.
  async begin(message: string, more: { channel?: string; trust?: string; sender?: string } = {}): Promise<void> {
    const begun = await this.ask({ do: "begin", message, ...more });
    if (begun["accepted"] !== true) throw new GuardError(String(begun["reason"]));
  }

  // The tools that the message asks for, as whoever has seen the message alone says.
  async plan(steps: PlannedTool[]): Promise<void> {
    await this.ask({ do: "plan", steps });
  }

  async judge(tool: string, given: Arguments): Promise<Verdict> {
    return (await this.ask({ do: "judge", tool, arguments: given })) as unknown as Verdict;
  }

  async observe(call: number, result: unknown, shown = true): Promise<void> {
    await this.ask({ do: "observe", call, result, shown });
  }

  // What the person said whom you asked.
  async answer(approval: string, allow: boolean): Promise<void> {
    await this.ask({ do: "answer", approval, allow });
  }

  async end(): Promise<void> {
    await this.ask({ do: "end" });
  }

  async close(): Promise<void> {
    const gone = new Promise((done) => this.process.once("exit", done));
    this.process.stdin.end();
    if (this.process.exitCode === null && !this.ended) await gone;
  }

  private stop(): void {
    this.ended = true;
    for (const tell of this.waiting.splice(0)) tell(undefined);
  }

  private async ask(request: Arguments): Promise<Arguments> {
    if (this.ended) throw new GuardError("anima guard call has ended");
    const line = await new Promise<string | undefined>((tell) => {
      this.waiting.push(tell);
      this.process.stdin.write(JSON.stringify(request) + "\n");
    });
    if (line === undefined) throw new GuardError("anima guard call has ended");
    const answer = JSON.parse(line) as Arguments & { error?: { message: string } };
    if (answer.error !== undefined) throw new GuardError(answer.error.message);
    return answer;
  }
}
