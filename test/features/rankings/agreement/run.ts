/** `bun run campaign agreement [--rounds 20] [--seed 1] [--days 30] [--rows 1500]`: whether the API returns the same truth from three kinds of files. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import * as Server from "../../../server.ts"
import { round } from "./Agreement.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const rounds = numberAfter("--rounds", 20)
const first = numberAfter("--seed", 1)
const size = { days: numberAfter("--days", 30), rows: numberAfter("--rows", 1500) }

const played = await Effect.gen(function* () {
  let [numbers, differences] = [0, 0]
  for (let seed = first; seed < first + rounds; seed++) {
    const done = yield* round(seed, size)
    numbers += done.numbers
    differences += done.differences.length
    for (const difference of done.differences) console.error(difference.slice(0, 2000))
    console.log(`seed ${seed}: ${done.numbers} numbers, ${done.differences.length} answers that differ`)
  }
  return { differences, numbers }
}).pipe(
  Effect.provide(UploadsWorker.layer.pipe(Layer.provideMerge(Server.layer))),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)
console.log(`${rounds} rounds, ${played.numbers} numbers compared, ${played.differences} answers that differ`)
process.exit(played.differences === 0 ? 0 : 1)
