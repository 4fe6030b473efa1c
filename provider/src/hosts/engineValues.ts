/** The member that marks the engine's own kinds of values, in its protocol and in a saved state. */
export const signature = "4dabf18193072939515e22adb298388d";

/** Its value for a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
