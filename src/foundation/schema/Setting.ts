import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import { isWeb } from "./Scalars.ts"

/** A whole number within bounds, both included. */
export const between =
  (least: number, most: number) =>
  (setting: Config.Config<number>): Config.Config<number> =>
    Config.validate(setting, {
      message: `must be from ${least} to ${most}`,
      validation: (value) => value >= least && value <= most
    })

/** A positive, finite duration. */
export const lasting: (setting: Config.Config<Duration.Duration>) => Config.Config<Duration.Duration> = Config.validate(
  {
    message: "must be a time above zero, such as `90 seconds`",
    validation: (time: Duration.Duration) => Duration.toMillis(time) > 0 && Duration.isFinite(time)
  }
)

/** An http or https URL. */
export const web: (setting: Config.Config<URL>) => Config.Config<URL> = Config.validate({
  message: "must be an http or https URL",
  validation: isWeb
})

/** Values separated by commas, none by default. `wanted` completes the error message after "… is not". */
export const listed = <A>(name: string, read: (part: string) => Option.Option<A>, wanted: string) =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.mapOrFail((text) =>
      Either.all(
        text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
          .map((part) =>
            Either.fromOption(read(part), () => ConfigError.InvalidData([name], `"${part}" is not ${wanted}`))
          )
      )
    )
  )
