import type { Law } from "./fairness/figures.ts"
import { namesIn, option } from "./fairness.ts"
import { agents } from "./safety/agents.ts"
import { backlinkRows } from "./safety/backlinkRows.ts"
import { clock } from "./safety/clock.ts"
import { endurance } from "./safety/endurance.ts"
import { fullDisk } from "./safety/fullDisk.ts"
import { inspectionQuota } from "./safety/inspectionQuota.ts"
import { keys } from "./safety/keys.ts"
import { killsCase } from "./safety/kills.ts"
import { looks } from "./safety/looks.ts"
import { money } from "./safety/money.ts"
import { pages } from "./safety/pages.ts"
import { paths } from "./safety/paths.ts"
import { repeatedSecrets } from "./safety/repeatedSecrets.ts"
import { turns } from "./safety/turns.ts"
import { waits } from "./safety/waits.ts"
import { writes } from "./safety/writes.ts"

/** The duration of a case without an end, and the share of the data that it uses. */
export interface Extent {
  readonly minutes: number
  readonly scale: number
}

/** An attack as a program: it starts its servers, attacks, removes what it started, and returns which laws held. */
export type SafetyCase = (extent: Extent) => Promise<ReadonlyArray<Law>>

/** One file below `safety/` per case. */
const cases: Readonly<Record<string, SafetyCase>> = {
  agents,
  "backlink-rows": backlinkRows,
  clock,
  endurance,
  "full-disk": fullDisk,
  "inspection-quota": inspectionQuota,
  keys,
  kills: killsCase,
  looks,
  money,
  pages,
  paths,
  "repeated-secrets": repeatedSecrets,
  turns,
  waits,
  writes
}

const lineOf = ({ found, holds, law }: Law) => `${holds ? "holds " : "BROKEN"}  ${law}: ${found}`

const lawsOf = async (attack: SafetyCase, extent: Extent): Promise<ReadonlyArray<Law>> => {
  try {
    return await attack(extent)
  } catch (error) {
    return [{ found: String(error), holds: false, law: "the case ends" }]
  }
}

/** `safety [case …] [--minutes 20] [--scale 1]`: attacks on other tenants, on foreign systems and on agents, each against a new server. */
export const safety = async (words: ReadonlyArray<string>) => {
  const extent = { minutes: option(words, "--minutes", 20), scale: option(words, "--scale", 1) }
  const names = namesIn(words)
  const unknown = names.filter((name) => !(name in cases))
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: the cases are ${Object.keys(cases).join(", ")}`)
  let broken = 0
  for (const [name, attack] of Object.entries(cases).filter(([name]) => names.length === 0 || names.includes(name))) {
    console.log(`\n${name}`)
    for (const law of await lawsOf(attack, extent)) {
      console.log(lineOf(law))
      if (!law.holds) broken += 1
    }
  }
  return broken === 0
}
