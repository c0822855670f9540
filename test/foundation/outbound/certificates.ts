import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

/** A key and its certificate, both PEM. */
export interface Identity {
  readonly key: string
  readonly cert: string
}

type Bytes = Uint8Array | ReadonlyArray<number>

/** One DER element (X.690 §8.1) of one tag. */
const element = (tag: number, ...contents: ReadonlyArray<Bytes>): Buffer => {
  const body = Buffer.concat(contents.map((content) => Buffer.from(content)))
  const long = body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff]
  const length = body.length < 128 ? [body.length] : long
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

const sequence = (...contents: ReadonlyArray<Bytes>) => element(0x30, ...contents)
const octets = (content: Bytes) => element(0x04, content)

const ecdsaWithSha256 = sequence(element(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
const commonName = (name: string) =>
  sequence(element(0x31, sequence(element(0x06, [0x55, 0x04, 0x03]), element(0x0c, Buffer.from(name)))))

const time = (date: Date) =>
  element(
    0x17,
    Buffer.from(
      date
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, "")
    )
  )
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000)

const extension = (id: number, value: Bytes) => sequence(element(0x06, [0x55, 0x1d, id]), octets(value))
const isAuthority = extension(0x13, sequence(element(0x01, [0xff])))
const alternativeNames = (names: ReadonlyArray<string>) =>
  extension(
    0x11,
    sequence(
      ...names.map((name) =>
        /^[\d.]+$/.test(name) ? element(0x87, name.split(".").map(Number)) : element(0x82, Buffer.from(name))
      )
    )
  )

const pem = (label: string, der: Uint8Array) =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`

let serial = 1

const certificate = (options: {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly extension: Bytes
  readonly days: readonly [from: number, to: number]
}) => {
  const body = sequence(
    element(0xa0, element(0x02, [2])),
    element(0x02, [serial++]),
    ecdsaWithSha256,
    commonName(options.issuer),
    sequence(time(daysFromNow(options.days[0])), time(daysFromNow(options.days[1]))),
    commonName(options.subject),
    options.publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(options.extension))
  )
  const signature = sign("sha256", body, options.signer)
  return pem("CERTIFICATE", sequence(body, ecdsaWithSha256, element(0x03, [0], signature)))
}

const pair = () => generateKeyPairSync("ec", { namedCurve: "prime256v1" })

/** A certificate authority of this process (X.509 v3, RFC 5280), which issues certificates with a validity in days from now. */
export const authority = (name: string) => {
  const own = pair()
  const cert = certificate({
    issuer: name,
    subject: name,
    publicKey: own.publicKey,
    signer: own.privateKey,
    extension: isAuthority,
    days: [-2, 30]
  })
  const issue = (names: ReadonlyArray<string>, days: readonly [number, number] = [-1, 10]): Identity => {
    const { privateKey, publicKey } = pair()
    return {
      key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
      cert: certificate({
        issuer: name,
        subject: names[0] ?? "",
        publicKey,
        signer: own.privateKey,
        extension: alternativeNames(names),
        days
      })
    }
  }
  return { cert, issue }
}

/** A self-signed certificate. */
export const selfSigned = (name: string): Identity => {
  const { privateKey, publicKey } = pair()
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: certificate({
      issuer: name,
      subject: name,
      publicKey,
      signer: privateKey,
      extension: alternativeNames([name]),
      days: [-1, 10]
    })
  }
}
