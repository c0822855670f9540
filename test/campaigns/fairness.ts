import { all } from "./fairness/all.ts"
import { bodiesCase } from "./fairness/bodies.ts"
import { deliveriesCase } from "./fairness/deliveries.ts"
import { disconnects } from "./fairness/disconnects.ts"
import { type Law, type Result, table } from "./fairness/figures.ts"
import { idempotency } from "./fairness/idempotency.ts"
import { closeAll, type Installation, installation, type Options } from "./fairness/installation.ts"
import { pipe } from "./fairness/pipe.ts"
import { readsCase } from "./fairness/reads.ts"
import { receiving } from "./fairness/receiving.ts"
import { schedules } from "./fairness/schedules.ts"
import { uploadsCase } from "./fairness/uploads.ts"

const cases: Readonly<Record<string, (installation: Installation) => Promise<Result>>> = {
  disconnects,
  uploads: uploadsCase,
  reads: readsCase,
  schedules,
  deliveries: deliveriesCase,
  pipe,
  bodies: bodiesCase,
  idempotency,
  receiving,
  all
}

/** The value of an option, such as `--seconds 20`. */
export const option = (words: ReadonlyArray<string>, name: string, otherwise: number) => {
  const at = words.indexOf(name)
  const value = at < 0 ? otherwise : Number(words[at + 1])
  if (!(value > 0)) throw new Error(`${name} must be a number above 0`)
  return value
}

/** The arguments that are no options. */
export const namesIn = (words: ReadonlyArray<string>) =>
  words.filter((word, at) => !word.startsWith("--") && !words[at - 1]?.startsWith("--"))

const outcomeOf = async (name: string, options: Options): Promise<Result> => {
  try {
    const result = cases[name]?.(await installation(options))
    return (await result) ?? { figures: {}, laws: [] }
  } catch (error) {
    return { figures: {}, laws: [{ found: String(error), holds: false, law: "the case ends" }] }
  } finally {
    await closeAll()
  }
}

const lineOf = ({ found, holds, law }: Law) => `${holds ? "holds " : "BROKEN"}  ${law}: ${found}`

/**
 * `fairness [case …] [--seconds 60] [--scale 1]`: an account that uses all that its limits allow, or a caller without a key, beside an account that makes
 * ordinary requests, on a new server for each case. Measurements below 16 seconds have too few requests for a p99; a scale below 1 makes the data and files
 * smaller.
 */
export const fairness = async (words: ReadonlyArray<string>) => {
  const options = { scale: option(words, "--scale", 1), seconds: option(words, "--seconds", 60) }
  const names = namesIn(words)
  const unknown = names.filter((name) => !(name in cases))
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: the cases are ${Object.keys(cases).join(", ")}`)
  // The server of each case watches for the end of this process.
  process.setMaxListeners(0)
  const results: Record<string, Result> = {}
  for (const name of names.length > 0 ? names : Object.keys(cases)) {
    console.log(`\n${name}`)
    const result = await outcomeOf(name, options)
    results[name] = result
    for (const line of [...table(result.figures), ...result.laws.map(lineOf)]) console.log(line)
  }
  const laws = Object.entries(results).flatMap(([name, { laws }]) => laws.map((law) => ({ law, name })))
  const broken = laws.filter(({ law }) => !law.holds)
  console.log(`\n${laws.length - broken.length} of ${laws.length} laws hold`)
  for (const { law, name } of broken) console.log(`  ${name}: ${lineOf(law)}`)
  return broken.length === 0
}
