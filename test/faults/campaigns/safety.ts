import type { Law } from "./fairness/figures.ts"
import { looks } from "./safety/looks.ts"
import { pages } from "./safety/pages.ts"

/** An attack as a program: it starts what it needs, attacks, removes what it started, and says which laws held. */
export type SafetyCase = () => Promise<ReadonlyArray<Law>>

/** One file below `safety/` for each case. */
const cases: Readonly<Record<string, SafetyCase>> = { looks, pages }

const lineOf = ({ found, holds, law }: Law) => `${holds ? "holds " : "BROKEN"}  ${law}: ${found}`

const lawsOf = async (attack: SafetyCase): Promise<ReadonlyArray<Law>> => {
  try {
    return await attack()
  } catch (error) {
    return [{ found: String(error), holds: false, law: "the case ends" }]
  }
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
