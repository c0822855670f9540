/**
 * Run by Guarded.test.ts in a process whose environment names a proxy: tests the guard, requests the URL and prints the result; then prints the result of
 * `fetch`, which does obey the proxy.
 */
import * as Effect from "effect/Effect"
import { selfTest } from "../../../src/foundation/outbound/Guarded.ts"
import { client, get, text } from "./client.ts"

const said = await Effect.runPromise(
  Effect.zipRight(selfTest, client().exchange(get(process.argv[2] ?? ""))).pipe(Effect.map(({ body }) => text(body)))
)
const diverted = await fetch(process.argv[2] ?? "")
process.stdout.write(`${said} ${await diverted.text()}`)
