/** Platform adapter: gzip over streams of bytes. */
import { createGunzip, createGzip } from "node:zlib"
import * as BunStream from "@effect/platform-bun/BunStream"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { damaged } from "./BackupFile.ts"

/** Bytes that come out at a time, so that what reads them has large pieces to work on. */
const chunkSize = 1 << 20

export const gzip = BunStream.pipeThroughDuplex(
  () => createGzip({ chunkSize, level: 6 }),
  () => new Refused({ message: "The backup could not be compressed" })
)

export const gunzip = BunStream.pipeThroughDuplex(() => createGunzip({ chunkSize }), damaged)
