/** Platform adapter: gzip over streams of bytes. */
import { createGunzip, createGzip } from "node:zlib"
import * as BunStream from "@effect/platform-bun/BunStream"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { damaged } from "./BackupFile.ts"

/** The size of the output pieces in bytes; large pieces are cheaper to process. */
const chunkSize = 1 << 20

export const gzip = BunStream.pipeThroughDuplex(
  () => createGzip({ chunkSize, level: 6 }),
  () => new Refused({ message: "The backup could not be compressed" })
)

export const gunzip = BunStream.pipeThroughDuplex(() => createGunzip({ chunkSize }), damaged)
