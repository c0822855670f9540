import * as Effect from "effect/Effect"
import { shuffled } from "../crawl/generator/shuffled.ts"

// `bun run campaign shuffled [runs]`: many crawls of one site whose responses arrive in different orders give one result.

const times = Number(process.argv[2] ?? 100)
const { orders, pages, results } = await Effect.runPromise(shuffled(times))
console.log(`${times} runs over ${pages} pages heard the answers in ${orders} orders and had ${results} result(s)`)
process.exit(results === 1 && orders === times ? 0 : 1)
