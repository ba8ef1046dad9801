// Requests of KIP: what they name stands in the parameters, never in the command.
import {send} from './api';

interface KipAnswer {
  result?: Record<string, unknown>;
  error?: {message?: string; hint?: string};
}

// The result; an error of KIP is thrown with its hint.
export async function kip(body: object): Promise<Record<string, unknown>> {
  const answer = await send<KipAnswer>('POST', '/v1/kip', body);
  if (answer.error) {
    const error = new Error(answer.error.message ?? 'it was refused');
    throw Object.assign(error, {hint: answer.error.hint});
  }
  return answer.result ?? {};
}
