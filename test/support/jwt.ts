const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An unsigned JWT: its readers in these tests look only at the claims. */
export const jwt = (claims: unknown): string => `${encoded({ alg: "none", typ: "JWT" })}.${encoded(claims)}.signature`;

/** A JWT for this name that expires in this many seconds. */
export const expiringJwt = (name: string, secondsLeft: number): string =>
  jwt({ sub: name, exp: Math.floor(Date.now() / 1000) + secondsLeft });
