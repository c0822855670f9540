import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { currentUid, EmbeddedFailed, type Owner } from "./Process.ts"

/** Users that may own the cluster when root starts us, in order of preference: PostgreSQL itself refuses to run as uid 0. */
const candidates = ["postgres", "nobody"]

const find = (passwd: string, name: string): Owner | undefined => {
  const fields = passwd
    .split("\n")
    .map((line) => line.split(":"))
    .find((entry) => entry[0] === name)
  return fields === undefined ? undefined : { name, uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** The user that PostgreSQL's programs run as: ours (`undefined`), or for root an existing unprivileged user; none is created. */
export const databaseOwner = Effect.gen(function* () {
  if ((yield* currentUid) !== 0) return undefined
  const fs = yield* FileSystem.FileSystem
  const passwd = yield* fs.readFileString("/etc/passwd").pipe(Effect.orElseSucceed(() => ""))
  const owner = candidates.map((name) => find(passwd, name)).find((found) => found !== undefined)
  if (owner === undefined) {
    return yield* new EmbeddedFailed({
      message: `PostgreSQL refuses to run as root and there is no user ${candidates.join(" or ")} here: start as an ordinary user, or set DATABASE_URL`
    })
  }
  return owner
})
