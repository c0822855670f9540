import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { described } from "../../../foundation/terminal/Help.ts"
import { argument, readInput } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { ExperimentId } from "../Domain.ts"
import { Experiments } from "../Experiments.ts"
import { Assign } from "./PageSet.ts"

const readAssign = readInput(Assign)

const id = argument("id", ExperimentId).pipe(Args.withDescription("id of the experiment"))

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** `experiments assign` */
export const assign = Command.make(
  "assign",
  {
    id,
    json,
    pages: Options.optional(
      Options.fileText("pages").pipe(Options.withDescription("file with the paths of the pages, one a line"))
    ),
    pattern: Options.optional(
      Options.text("pattern").pipe(Options.withDescription("pattern of the pages, such as '/blog/*'"))
    ),
    seed: Options.optional(
      Options.text("seed").pipe(Options.withDescription("the same seed, pages and data give the same arms"))
    )
  },
  ({ id, json, pages, pattern, seed }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const asked = yield* readAssign({
        ...Option.match(pages, { onNone: () => ({}), onSome: ([, text]) => ({ pages: linesOf(text) }) }),
        ...Option.match(pattern, { onNone: () => ({}), onSome: (pattern) => ({ pattern }) }),
        ...Option.match(seed, { onNone: () => ({}), onSome: (seed) => ({ seed }) })
      })
      yield* print(yield* experiments.assign(yield* experiments.ownerOf(id), id, asked), json)
    })
).pipe(
  Command.withDescription(
    described(
      "deal pages out to both arms of a designed draft",
      "experiments assign --pattern '/blog/*' 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments power` */
export const power = Command.make("power", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.power(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described(
      "show how large an effect must be for the design to find it",
      "experiments power 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments preview` */
export const preview = Command.make("preview", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.preview(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described("look at a running experiment, to stop harm", "experiments preview 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)
