import type { Law } from "./fairness/figures.ts"
import { agents } from "./safety/agents.ts"
import { inspectionQuota } from "./safety/inspectionQuota.ts"
import { money } from "./safety/money.ts"
import { paths } from "./safety/paths.ts"
import { repeatedSecrets } from "./safety/repeatedSecrets.ts"
import { waits } from "./safety/waits.ts"
import { writes } from "./safety/writes.ts"

/** An attack as a program: it starts what it needs, attacks, removes what it started, and says which laws held. */
export type SafetyCase = () => Promise<ReadonlyArray<Law>>

/** One file below `safety/` for each case. */
const cases: Readonly<Record<string, SafetyCase>> = {
  agents,
  "inspection-quota": inspectionQuota,
  money,
  paths,
  "repeated-secrets": repeatedSecrets,
  waits,
  writes
}

/** `safety [case …]`: attacks on other tenants, on other people's systems and on agents, each against a node of its own. */
export const safety = async (words: ReadonlyArray<string>) => {
  const unknown = words.filter((word) => !(word in cases))
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: the cases are ${Object.keys(cases).join(", ")}`)
  let broken = 0
  for (const [name, attack] of Object.entries(cases).filter(([name]) => words.length === 0 || words.includes(name))) {
    console.log(`\n${name}`)
    for (const law of await lawsOf(attack)) {
      console.log(lineOf(law))
      if (!law.holds) broken += 1
    }
  }
  return broken === 0
}
