import * as Effect from "effect/Effect"
import * as ConfigProvider from "effect/ConfigProvider"
import { layerEmbedded, Location } from "/work/main/src/database/Location.ts"
const p = Effect.gen(function*(){ const l = yield* Location; console.log(JSON.stringify(l.connection)); yield* Effect.never }).pipe(Effect.provide(layerEmbedded({})), Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR","/tmp/rk/data"]]))))
Effect.runPromise(p as any)
