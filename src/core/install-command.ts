/** The name of the package. */
export const PACKAGE_NAME = "orcs";

/**
 * The command that installs the program, in the folder of its archive. A bare name would install whatever somebody has
 * published under it; a missing archive is an error. Without the version, so that entries stay the same after an
 * update.
 */
export const INSTALL_COMMAND = `npm install --global ./${PACKAGE_NAME}-*.tgz`;
