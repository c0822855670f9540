import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Cidr from "./Cidr.ts"

/** The variable that names them. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

const read = (text: string): Either.Either<ReadonlyArray<Cidr.Cidr>, ConfigError.ConfigError> => {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  return Either.all(
    parts.map((part) =>
      Option.match(Cidr.parse(part), {
        onNone: () =>
          Either.left(
            ConfigError.InvalidData(
              [variable],
              `"${part}" is not a network: give ranges such as 127.0.0.0/8 or fd00::/8, separated by commas`
            )
          ),
        onSome: (cidr) => Either.right(cidr)
      })
    )
  )
}

/** Ranges that outbound requests may reach although they are not global: for development and tests, none by default. */
export const AllowedNetworks = Config.string(variable).pipe(
  Config.withDefault(""),
  Config.mapOrFail(read),
  Config.withDescription(
    "networks (comma-separated CIDRs) that crawls and webhooks may reach although they are not public"
  )
)
