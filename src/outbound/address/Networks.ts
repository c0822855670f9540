import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Cidr from "./Cidr.ts"

const read =
  (variable: string) =>
  (text: string): Either.Either<ReadonlyArray<Cidr.Cidr>, ConfigError.ConfigError> =>
    Either.all(
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map((part) =>
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

/** A setting that names networks, none by default. */
export const networks = (variable: string) =>
  Config.string(variable).pipe(Config.withDefault(""), Config.mapOrFail(read(variable)))
