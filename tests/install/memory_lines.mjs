// A memory in a few lines, by the package for TypeScript: remembered, recalled, asked, explained. A server has the space.
// Usage: node memory_lines.mjs SPACE
import {argv} from 'node:process';

const {connectFolder} = await import('@anima/memory/node');
const memory = await connectFolder(argv[2]);
await memory.remember('The boiler is serviced by Bo every March.');
const recalled = await memory.recall('Who services the boiler?');
const answer = await memory.ask('Which services run on borea?');
const proof = await memory.why('db runs_on borea');
if (!recalled.text.includes('Bo') || answer.rows[0][0] !== 'db' || proof.proof[0].asserted.length === 0) throw new Error('another memory');
console.log('recalled, answered', answer.rows[0][0], 'and explained', proof.fact);
