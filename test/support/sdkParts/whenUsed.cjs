/**
 * A module that loads when one of its members is used. It is marked as compiled from ESM, so that importing it does not
 * copy it.
 */
exports.whenUsed = (load) => new Proxy({}, { get: (_, member) => member === "__esModule" || load()[member] });
