import { expect } from "bun:test"
import * as Layer from "effect/Layer"
import * as Decode from "../../../../src/features/rankings/decode/Decode.ts"
import { ofBatches } from "../../../../src/features/rankings/import/Loads.ts"
import { FileDecoder } from "../../../../src/features/rankings/uploads/decoder/DecodeProcess.ts"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { round } from "./Agreement.ts"

/** Reads files in this process: many of them are compressed, and a server starts a process for each of these. */
const here = Layer.succeed(
  FileDecoder,
  FileDecoder.of({ decode: ({ file, format, options }, bytes) => ofBatches(Decode.rows(format, file, options)(bytes)) })
)

const it = suite(UploadsWorker.layerNoDeps.pipe(Layer.provide(here), Layer.provideMerge(Server.layer)), {
  timeout: 240_000
})

// `bun run campaign agreement` runs more and larger rounds, with decoding processes.
it("Search Console exports, bulk exports and API responses of the same days agree in everything they share", function* () {
  const { differences, numbers } = yield* round(1, { days: 3, rows: 40 })
  expect(differences).toEqual([])
  expect(numbers).toBeGreaterThan(200)
})
