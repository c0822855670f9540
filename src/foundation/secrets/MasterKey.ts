import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as MasterKeyFile from "./MasterKeyFile.ts"

/** The 32 bytes that protect every stored secret; all nodes of one database must hold the same. */
export class MasterKey extends Context.Tag("secrets/MasterKey")<MasterKey, Redacted.Redacted<Uint8Array>>() {}

/** The key that is being replaced; secrets sealed with it stay readable until all of them are rotated. */
export class OldMasterKey extends Context.Reference<OldMasterKey>()("secrets/OldMasterKey", {
  defaultValue: (): Option.Option<Redacted.Redacted<Uint8Array>> => Option.none()
}) {}

const keyIn = (variable: string) =>
  Config.redacted(variable).pipe(
    Config.mapOrFail((text) =>
      Either.fromOption(MasterKeyFile.decode(Redacted.value(text)), () =>
        ConfigError.InvalidData(
          [variable],
          "must be the base64 of exactly 32 bytes, as `openssl rand -base64 32` prints it"
        )
      )
    ),
    Config.option
  )

/** The key in the environment, if any; an error message never holds its value. */
export const FromEnvironment = keyIn("FINDABLE_MASTER_KEY").pipe(
  Config.withDescription("base64 of 32 bytes that encrypt stored secrets; default: a key file in the data directory")
)

/** The key that is being replaced, if one is. */
export const OldFromEnvironment = keyIn("FINDABLE_OLD_MASTER_KEY").pipe(
  Config.withDescription("master key that is being replaced: what it sealed can be read until `secrets rotate` is done")
)

/** The configured key that is being replaced. */
export const oldLayer = Layer.effect(OldMasterKey, OldFromEnvironment)

/** The key from the environment, or else from the key file in the data directory, made at the first start. */
export const layer = Layer.effect(
  MasterKey,
  Effect.flatMap(FromEnvironment, Option.match({ onNone: () => MasterKeyFile.obtain, onSome: Effect.succeed }))
)

/** The key that a node would use here, without making one. */
export const find = Effect.filterOrElse(FromEnvironment, Option.isSome, () => MasterKeyFile.find)
