/* Poses of cryoSPARC, rotation vectors, and the Euler angles of RELION. */
#ifndef TESS_IO_TEXT_CRYOSPARC_POSE_H
#define TESS_IO_TEXT_CRYOSPARC_POSE_H

/* The rotation by |pose| radians about the axis `pose` is Rz(rot) Ry(tilt) Rz(psi), from the image to the volume: the
 * transpose of RELION's matrix. Angles are in degrees, x before y before z. */
void tess__cs_pose_to_euler(double angles[3], const double pose[3]);
void tess__cs_euler_to_pose(double pose[3], const double angles[3]);

#endif
