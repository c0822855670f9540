/**
 * The process of an attack: it reads its target from standard input and continues until the campaign closes that or ends. It stands for another machine,
 * so it leads a session of the lowest priority (`sched(7)`, autogroups) and hardly disturbs what is measured.
 */
import { existsSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { calls } from "../safety/turns.ts"
import { bodies } from "./bodies.ts"
import { deliveries } from "./deliveries.ts"
import { flood } from "./disconnects.ts"
import type { Attack, Target } from "./launch.ts"
import { reads, slowExports } from "./reads.ts"
import { uploads } from "./uploads.ts"

const attacks: Readonly<Record<string, Attack>> = { bodies, calls, deliveries, flood, reads, slowExports, uploads }

/** Minutes after which it ends in any case. */
const atMost = 15

const [name = ""] = process.argv.slice(2)
const attack = attacks[name]
if (attack === undefined) throw new Error(`There is no attack ${name}`)
const lowest = 19
setPriority(lowest)
const session = "/proc/self/autogroup"
if (existsSync(session)) writeFileSync(session, String(lowest))
setTimeout(() => process.exit(1), atMost * 60_000)

const counts: Record<string, number> = {}
const report = {
  count: (what: string | number) => {
    counts[what] = (counts[what] ?? 0) + 1
  },
  ready: () => console.log("ready")
}

let input = ""
const decoder = new TextDecoder()
for await (const chunk of Bun.stdin.stream()) {
  if (input.includes("\n")) continue
  input += decoder.decode(chunk, { stream: true })
  const end = input.indexOf("\n")
  if (end < 0) continue
  const target: Target = JSON.parse(input.slice(0, end))
  attack(target, report).catch((error) => {
    console.error(`The attack ${name} failed:`, error)
    process.exit(1)
  })
}
console.log(JSON.stringify(counts))
process.exit(0)
